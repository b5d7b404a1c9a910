import type { StoredCredential, StoredWorkflow } from '../../../sandbox/src/n8n-api';
import { waitFor } from '../../../sandbox/src/wait-for';
import { tokenFor } from '../../../nodes/Crew/callbacks/token';
import { credentialFor } from '../../../sandbox/src/crew-credential';
import type { Comparison } from '../figures';
import { measureInTurn, type Bench, type Row } from '../row';
import { WITHOUT_EXPRESSION_SANDBOX, type Stage } from '../stage';
import { crewTriggerNode, deploy, NOTHING, urlOf, webhook, type Part } from '../workflows';

const CONNECTIONS = 10;
const SECRET = { name: 'X-Callback-Secret', value: 'a-secret-of-some-length' };

/** As the crew's callback at its end. */
const CALLBACK = JSON.stringify({
	kickoff_id: '0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d',
	result: 'All about bees. '.repeat(40),
	result_json: null,
	token_usage: { total_tokens: 100, prompt_tokens: 60, completion_tokens: 40 },
	meta: { customer: 42 },
});

const OURS = 'Crew Trigger';
const WEBHOOK = 'Webhook with Header Auth';
const WEBHOOK_1 = 'Webhook with Header Auth, type version 1';

/** A deployed workflow, and how its trigger is called. */
interface Deployed {
	workflow: StoredWorkflow;
	url: string;
	headers: Record<string, string>;
}

/** Callbacks a second until each is answered, so many at a time; then waits until n8n has worked them off. */
async function callbacksASecond(
	stage: Stage,
	{ workflow, url, headers }: Deployed,
	count: number,
): Promise<number> {
	let left = count;
	const send = async () => {
		while (left-- > 0) {
			const answer = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json', ...headers },
				body: CALLBACK,
			});
			const text = await answer.text();
			if (!answer.ok) throw new Error(`The trigger answered ${answer.status}: ${text}`);
		}
	};
	const began = performance.now();
	await Promise.all(Array.from({ length: CONNECTIONS }, send));
	const seconds = (performance.now() - began) / 1_000;
	await waitFor('n8n to work off the callbacks', async () => {
		const newest = await stage.api.newestExecution(workflow.id);
		return Boolean(newest?.stoppedAt);
	});
	return count / seconds;
}

/** The Webhook node with Header Auth; n8n itself does more for any node of type version 1, as ours is. */
async function deployWebhook(
	stage: Stage,
	guard: StoredCredential,
	typeVersion: number,
): Promise<Deployed> {
	const plain = webhook('onReceived');
	const guarded: Part = {
		...plain,
		typeVersion,
		parameters: { ...plain.parameters, authentication: 'headerAuth' },
		credentials: { httpHeaderAuth: guard },
	};
	const workflow = await deploy(stage, [guarded, NOTHING]);
	return { workflow, url: urlOf(stage, workflow), headers: { [SECRET.name]: SECRET.value } };
}

async function deployTrigger(stage: Stage): Promise<Deployed> {
	const workflow = await deploy(stage, [crewTriggerNode(stage.credential, 'crew'), NOTHING]);
	const url = new URL(urlOf(stage, workflow));
	const { callbackSecret } = credentialFor(stage.crew);
	url.searchParams.set('token', tokenFor(callbackSecret, 'crew', url.href));
	url.searchParams.set('callback', 'crew');
	return { workflow, url: url.href, headers: {} };
}

async function compare(bench: Bench, stage: Stage, suffix = ''): Promise<Comparison> {
	const guard = await stage.api.createCredential('Header', 'httpHeaderAuth', SECRET);
	const deployed: Array<[string, Deployed]> = [
		[OURS, await deployTrigger(stage)],
		[WEBHOOK, await deployWebhook(stage, guard, 2)],
		[WEBHOOK_1, await deployWebhook(stage, guard, 1)],
	];
	const count = bench.isQuick ? 50 : 200;
	const contenders = deployed.map(([name, load]) => ({
		name,
		measure: async () => await callbacksASecond(stage, load, count),
	}));
	const rounds = bench.isQuick ? 3 : 5;
	const figuresOf = await measureInTurn(bench, 'Callbacks a second', contenders, rounds);
	return {
		measure: `callbacks a second until answered, ${CONNECTIONS} connections${suffix}`,
		unit: '/s',
		ours: figuresOf(OURS),
		rivals: [{ ...figuresOf(WEBHOOK), least: 0.95 }, figuresOf(WEBHOOK_1)],
	};
}

export const triggerLoad: Row = {
	name: 'trigger',
	about: 'callbacks a second that a trigger answers, 10 connections',
	run: async (bench) => {
		const usual = await compare(bench, await bench.stage('callbacks'));
		if (bench.isQuick) return [usual];
		const unsandboxed = await bench.withOwnStage(
			WITHOUT_EXPRESSION_SANDBOX.settings,
			async (stage) => await compare(bench, stage, WITHOUT_EXPRESSION_SANDBOX.suffix),
		);
		return [usual, unsandboxed];
	},
};
