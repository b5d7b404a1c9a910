import { tokenFor } from '../../../nodes/Crew/callbacks/token';
import { credentialFor } from '../../../sandbox/src/crew-credential';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import { waitFor } from '../../../sandbox/src/wait-for';
import type { Side } from '../row';
import type { Stage } from '../stage';
import { crewTriggerNode, deploy, NOTHING, urlOf, webhook, type Part } from '../workflows';

const CONNECTIONS = 10;
const SECRET = { name: 'X-Callback-Secret', value: 'a-secret-of-some-length' };

/** The crew's callback at its end. */
const CALLBACK = JSON.stringify({
	kickoff_id: '0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d',
	result: 'All about bees. '.repeat(40),
	result_json: null,
	token_usage: { total_tokens: 100, prompt_tokens: 60, completion_tokens: 40 },
	meta: { customer: 42 },
});

export const crewTrigger = callbacks('Crew Trigger', async (stage) => {
	const workflow = await deploy(stage, [crewTriggerNode(stage.credential, 'crew'), NOTHING]);
	const url = new URL(urlOf(stage, workflow));
	const { callbackSecret } = credentialFor(stage.crew);
	url.searchParams.set('token', tokenFor(callbackSecret, 'crew', url.href));
	url.searchParams.set('callback', 'crew');
	return { workflow, url: url.href, headers: {} };
});

/** The Webhook node with Header Auth; n8n itself does more for any node of type version 1. */
export function webhookNode(typeVersion: 1 | 2): Side {
	const suffix = typeVersion === 1 ? ', type version 1' : '';
	return callbacks(`Webhook with Header Auth${suffix}`, async (stage) => {
		const guard = await stage.api.createCredential('Header', 'httpHeaderAuth', SECRET);
		const plain = webhook('onReceived');
		const guarded: Part = {
			...plain,
			typeVersion,
			parameters: { ...plain.parameters, authentication: 'headerAuth' },
			credentials: { httpHeaderAuth: guard },
		};
		const workflow = await deploy(stage, [guarded, NOTHING]);
		return { workflow, url: urlOf(stage, workflow), headers: { [SECRET.name]: SECRET.value } };
	});
}

/** A deployed workflow, and how its trigger is called. */
interface Deployed {
	workflow: StoredWorkflow;
	url: string;
	headers: Record<string, string>;
}

/** Callbacks per second, a number of them at a time, until each is answered. Each must start an execution. */
function callbacks(name: string, deployOn: (stage: Stage) => Promise<Deployed>): Side {
	return {
		name,
		prepare: async ({ size, stage: open }) => {
			const stage = await open();
			const deployed = await deployOn(stage);
			let sent = 0;
			return async () => {
				const began = performance.now();
				await sendAll(deployed, size);
				const seconds = (performance.now() - began) / 1_000;
				sent += size;
				await untilWorkedOff(stage, deployed.workflow, sent);
				return size / seconds;
			};
		},
	};
}

async function sendAll({ url, headers }: Deployed, count: number): Promise<void> {
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
	await Promise.all(Array.from({ length: CONNECTIONS }, send));
}

/** Waits until the workflow has had this many executions, which must all have succeeded. */
async function untilWorkedOff(
	{ api }: Stage,
	{ id }: StoredWorkflow,
	count: number,
): Promise<void> {
	let ended = 0;
	const isWorkedOff = async () => {
		const executions = await api.listExecutions({ workflowId: id });
		const bad = executions.find(({ status }) => status === 'error' || status === 'crashed');
		if (bad) throw new Error(`Execution ${bad.id} of the trigger ended as ${bad.status}`);
		ended = executions.filter(({ status }) => status === 'success').length;
		return ended === count;
	};
	await waitFor(`n8n to work off ${count} callbacks`, isWorkedOff, {
		interval: 500,
		describe: () => `${ended} so far`,
	});
}
