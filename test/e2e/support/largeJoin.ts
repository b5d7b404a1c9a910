import { storeCrewCredential } from '../../../sandbox/src/crew-credential';
import { outputOf } from '../../../sandbox/src/run-data';
import type { Sandbox } from '../../../sandbox/src/sandbox';
import type { Teardown } from '../../../sandbox/src/teardown';
import { ScriptedCrew } from '../../support/scriptedCrew';
import { chain, node, webhookNode } from './chain';
import { startOf, waitUntilParked } from './runs';

/** All results together exceed what n8n accepts in one call of a webhook, 16 MB. */
const COUNT = 80;
const CHARACTERS = 250_000;
/** Milliseconds: asking all of them, ten at a time, takes longer than a caller's patience. */
const STATUS_TIME = 4_000;
const PATIENCE = 10_000;

const TOPICS = Array.from({ length: COUNT }, (_, index) => `large ${index}`);
const outputAbout = (topic: string) => `${topic}: `.padEnd(CHARACTERS, `all about ${topic}, `);

/** An item's end. Whole outputs would be megabytes in a test's message. */
type Ending = [topic: string, status: unknown, hasItsOutput: boolean];
export const ALL_WITH_OUTPUT = TOPICS.map((topic): Ending => [topic, 'completed', true]);

/** Parks an execution that waits for many crews with large results; the returned function makes them end and call back. */
export async function parkLargeJoin(
	{ api }: Pick<Sandbox, 'api'>,
	teardown: Teardown,
): Promise<() => Promise<Ending[]>> {
	const crew = await ScriptedCrew.start({
		outcomeOf: (topic) => ({ output: outputAbout(topic) }),
		befalls: (asked) => (asked === 'status' ? { delay: STATUS_TIME } : {}),
	});
	teardown.add(() => crew.close());
	const credential = await storeCrewCredential(api, crew, 'Large results');
	const parameters = {
		operation: 'kickoff',
		specifyInputs: 'json',
		inputsJson: '={{ JSON.stringify($json) }}',
		wait: 'end',
	};
	const credentials = { crewApi: credential };
	const workflow = await api.createWorkflow(
		chain('A large join', [
			webhookNode('Webhook'),
			node('Items', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.items' }),
			node('Crew', 'n8n-nodes-crew.crew', 1, parameters, { credentials }),
			// An expression for each item, as in other workflows, would take minutes.
			node('After', 'n8n-nodes-base.noOp', 1, {}),
		]),
	);
	await api.activateWorkflow(workflow);
	await startOf({ api }, workflow)(TOPICS.map((topic) => ({ topic })));
	const id = await waitUntilParked({ api, credential }, workflow);

	return async () => {
		const inOrder = TOPICS.flatMap((topic) => crew.about(topic));
		for (const one of inOrder) one.hasEnded = true;
		await Promise.all(inOrder.map((one) => crew.callBack(one, PATIENCE)));
		const patience = { timeout: 300_000, interval: 1_000 };
		const items = outputOf(await api.waitForExecution(id, undefined, patience), 'After');
		return items.map(({ json }, index): Ending => {
			const { topic = '' } = inOrder.find(({ kickoffId }) => kickoffId === json.kickoff_id) ?? {};
			const isItsOwn = topic === TOPICS[index] && json.output === outputAbout(topic);
			return [topic, json.status, isItsOwn];
		});
	};
}
