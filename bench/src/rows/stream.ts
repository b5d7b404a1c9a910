import { randomUUID } from 'node:crypto';
import { tokenFor } from '../../../nodes/Crew/callbacks/token';
import { credentialFor } from '../../../sandbox/src/crew-credential';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-api';
import { waitFor } from '../../../sandbox/src/wait-for';
import { measureInTurn, type Row } from '../row';
import type { Stage } from '../stage';
import { crewTriggerNode, deploy, NEXT, NOTHING, runOf, urlOf } from '../workflows';

const FEW = 100;
const MANY = 10_000;

/** One request of the event stream, as a crew sends it. */
function bodyOf(count: number): string {
	const execution_id = randomUUID();
	const events = Array.from({ length: count }, (_, n) => ({
		id: randomUUID(),
		execution_id,
		timestamp: new Date(1_700_000_000_000 + n).toISOString(),
		type: 'llm_call_completed',
		data: { task: 'write', model: 'a model', tokens: n },
	}));
	return JSON.stringify({ events });
}

/** Milliseconds until a request with so many events is answered; each of them has to come out. */
async function timeOf(stage: Stage, workflow: StoredWorkflow, count: number): Promise<number> {
	const url = new URL(urlOf(stage, workflow));
	const { callbackSecret } = credentialFor(stage.crew);
	const token = tokenFor(callbackSecret, 'stream', url.href);
	url.searchParams.set('callback', 'stream');
	const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
	const body = bodyOf(count);
	const before = await stage.api.newestExecution(workflow.id);
	const began = performance.now();
	const answer = await fetch(url, { method: 'POST', headers, body });
	await answer.text();
	const milliseconds = performance.now() - began;
	const { id } = await waitFor('the execution that was started', async () => {
		const newest = await stage.api.newestExecution(workflow.id);
		return newest?.id !== before?.id && newest;
	});
	const execution = await stage.api.waitForExecution(id);
	const items = runOf(execution, NEXT).data?.['main']?.[0] ?? [];
	if (items.length !== count) throw new Error(`Of ${count} events ${items.length} came out`);
	return milliseconds;
}

export const stream: Row = {
	name: 'stream',
	about: 'one request with 10,000 events of the stream',
	run: async (bench) => {
		const stage = await bench.stage('callbacks');
		const workflow = await deploy(stage, [crewTriggerNode(stage.credential, 'stream'), NOTHING]);
		const sizes = [FEW, MANY].map((count) => ({
			name: `${count} events`,
			measure: async () => await timeOf(stage, workflow, count),
		}));
		const rounds = bench.isQuick ? 3 : 5;
		const figuresOf = await measureInTurn(bench, 'Milliseconds', sizes, rounds);
		const timesOf = (count: number) => figuresOf(`${count} events`).rounds;
		const scaled = timesOf(FEW).map((milliseconds) => (milliseconds * MANY) / FEW);
		return [
			{
				measure: `one request with ${MANY} events, until it is answered`,
				unit: 'ms',
				ours: { contender: 'Crew Trigger', rounds: timesOf(MANY) },
				rivals: [
					{ contender: `${MANY / FEW} times itself with ${FEW}`, rounds: scaled, most: 1 },
					{ contender: 'the most that is wanted', rounds: [1_000], most: 1 },
				],
			},
		];
	},
};
