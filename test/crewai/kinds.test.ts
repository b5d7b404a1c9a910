import type { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { expectSame, FEEDBACK, runBoth, twice } from './support/comparison';
import { PATIENCE } from './support/deployment';
import { answer, statusWhen } from './support/questions';
import { startScriptedModel, type ChatRequest, type ScriptedModel } from './support/scriptedModel';

/*
 * The kinds that CI tests: with flows.test.ts, one for each way in which an answer gets back to its question: to an agent
 * that exists only from the kickoff on, to one thread of several, and to a method of a flow.
 */

let model: ScriptedModel;

beforeAll(async () => {
	model = await startScriptedModel();
});
afterAll(() => model.close());

const textOf = ({ messages }: ChatRequest) => JSON.stringify(messages);
const hasUsedTool = ({ messages }: ChatRequest) => messages.some(({ role }) => role === 'tool');
const asks = async (client: Client, kickoffId: string, taskId: string) =>
	await statusWhen(client, kickoffId, (body) => body['task_id'] === taskId);

it('Hierarchical process: the manager asks, and what it delegates shows as steps. Lost: nothing.', async () => {
	model.script = (request) => {
		const [, task = ''] = /Current Task: (\w+)/.exec(textOf(request)) ?? [];
		const delegates = request.tools?.some(({ function: { name } }) => name.startsWith('delegate'));
		if (!delegates || hasUsedTool(request)) return `${task} is done`;
		return {
			tool: 'delegate_work_to_coworker',
			arguments: { task: `${task} it`, context: 'All of it', coworker: 'Clerk' },
		};
	};
	const runs = await runBoth(model, { project: 'office' });
	expectSame(runs, twice('order_task', 'letter_task'));
	expect(runs.asking.callbacks['step']?.map(({ tool }) => tool)).toContain(
		'delegate_work_to_coworker',
	);
});

it('`async_execution`: tasks ask at the same time, and each is answered on its own. Lost: nothing.', async () => {
	model.script = () => 'A text';
	const runs = await runBoth(model, {
		project: 'teamwork',
		afterwards: async ({ client }) => {
			let letTaste: (text: string) => void = () => undefined;
			const taste = new Promise<string>((resolve) => {
				letTaste = resolve;
			});
			model.asked.length = 0;
			model.script = (request) =>
				textOf(request).includes('Tell the taste') && request.messages.length === 2
					? taste
					: 'A text';
			const kickoffId = await client.kickoff({ inputs: { topic: 'Tea', asks: true } });
			// One asks, is rejected and asks again while the other is running.
			await asks(client, kickoffId, 'history_task');
			await until(() => model.asked.length === 2, PATIENCE);
			expect(await answer(client, kickoffId, 'history_task', false, FEEDBACK)).toMatchObject({
				status: 'retrying',
			});
			await until(() => model.asked.some((one) => textOf(one).includes(FEEDBACK)), PATIENCE);
			await asks(client, kickoffId, 'history_task');
			letTaste('A text');
			// Both ask. Answering one does not affect the other.
			await answer(client, kickoffId, 'history_task', true);
			await asks(client, kickoffId, 'taste_task');
			await answer(client, kickoffId, 'taste_task', true);
			await statusWhen(client, kickoffId, ({ status }) => status === 'completed');
			expect(model.asked).toHaveLength(4);
		},
	});
	expectSame(runs, twice('history_task', 'taste_task'));
});
