import { randomUUID } from 'node:crypto';
import { tokenFor } from '../../../nodes/Crew/callbacks/token';
import { credentialFor } from '../../../sandbox/src/crew-credential';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import { waitFor } from '../../../sandbox/src/wait-for';
import type { Side } from '../row';
import type { Stage } from '../stage';
import { crewTriggerNode, deploy, NEXT, NOTHING, runOf, urlOf } from '../workflows';

/** Milliseconds until a request with as many events as the row's size is answered. */
export const request = requests('Crew Trigger', 1);

/** As many events in two requests, as twice the time of one. */
export const twoRequests = requests('twice itself with half as many', 2);

function requests(name: string, count: number): Side {
	return {
		name,
		prepare: async ({ size, stage: open }) => {
			const stage = await open();
			const trigger = crewTriggerNode(stage.credential, 'stream');
			const workflow = await deploy(stage, [trigger, NOTHING]);
			return async () => (await timeOf(stage, workflow, size / count)) * count;
		},
	};
}

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

/** Milliseconds until a request is answered. Each of its events must come out. */
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
	const text = await answer.text();
	const milliseconds = performance.now() - began;
	if (!answer.ok) throw new Error(`The trigger answered ${answer.status}: ${text}`);
	const { id } = await waitFor('the execution that was started', async () => {
		const newest = await stage.api.newestExecution(workflow.id);
		return newest?.id !== before?.id && newest;
	});
	const execution = await stage.api.waitForExecution(id);
	const items = runOf(execution, NEXT).data?.['main']?.[0] ?? [];
	if (items.length !== count) throw new Error(`Of ${count} events ${items.length} came out`);
	return milliseconds;
}
