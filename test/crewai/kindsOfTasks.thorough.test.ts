import type { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { expectSame, FEEDBACK, runBoth, statusWhen, twice } from './support/comparison';
import { PATIENCE } from './support/deployment';
import { startScriptedModel, type ChatRequest, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;

beforeAll(async () => {
	model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(() => {
	model.script = () => 'A text';
});

const textOf = ({ messages }: ChatRequest) => JSON.stringify(messages);

const asks = async (client: Client, kickoffId: string, taskId: string) =>
	await statusWhen(client, kickoffId, (body) => body['task_id'] === taskId);

const answer = async (client: Client, kickoffId: string, taskId: string, isApprove: boolean) => {
	const feedback = isApprove ? '' : FEEDBACK;
	const body = { task_id: taskId, is_approve: isApprove, human_feedback: feedback };
	return (await client.resume(kickoffId, body)).body['status'];
};

it('`output_pydantic`, `output_json`: the same structured output with and without questions. Lost: nothing.', async () => {
	const runs = await runBoth(model, { project: 'reviews' });
	expectSame(runs, twice('model_task', 'dictionary_task'));
	expect(runs.asking.called).toBe(
		"model_task ['Review']\ndictionary_task ['dict']\ntext_task []\n",
	);
});

it('Guardrails: they come after the person. A refusal asks again and says why, and counts. Lost: nothing.', async () => {
	model.script = (request) => (textOf(request).includes('too long') ? 'A text' : 'A long text');
	const runs = await runBoth(model, {
		project: 'gates',
		afterwards: async ({ client }) => {
			model.script = () => 'A long text';
			const kickoffId = await client.kickoff({ inputs: { topic: 'Tea', asks: true } });
			await asks(client, kickoffId, 'short_task');
			await answer(client, kickoffId, 'short_task', true);
			await statusWhen(client, kickoffId, ({ task_output: output }) =>
				String(output).includes('too long'),
			);
			await answer(client, kickoffId, 'short_task', true);
			const ended = await statusWhen(client, kickoffId, ({ status }) => status === 'error');
			expect(ended['error']).toContain('after 1 retries. Last error: It is too long');
		},
	});
	expectSame(runs, ['short_task', ...twice('short_task', 'kind_task')]);
	expect(runs.asking.callbacks['human']?.[2]).toMatchObject({
		task_output: 'A text\n\nA guardrail has refused the answer before this one: It is too long',
	});
});

it('`async_execution`: tasks ask side by side, and each is answered on its own. Lost: nothing.', async () => {
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
			// One asks, is rejected and asks again while the other is worked on.
			await asks(client, kickoffId, 'history_task');
			await until(() => model.asked.length === 2, PATIENCE);
			expect(await answer(client, kickoffId, 'history_task', false)).toBe('retrying');
			await until(() => model.asked.some((one) => textOf(one).includes(FEEDBACK)), PATIENCE);
			await asks(client, kickoffId, 'history_task');
			letTaste('A text');
			// Both are asked about. Answering one leaves the other where it is.
			await answer(client, kickoffId, 'history_task', true);
			await asks(client, kickoffId, 'taste_task');
			await answer(client, kickoffId, 'taste_task', true);
			await statusWhen(client, kickoffId, ({ status }) => status === 'completed');
			expect(model.asked).toHaveLength(4);
		},
	});
	expectSame(runs, twice('history_task', 'taste_task'));
});

it('Conditional tasks: what was skipped stays skipped. Lost: nothing.', async () => {
	const runs = await runBoth(model, { project: 'crossroads' });
	expectSame(runs, twice('taken_task'));
	expect(runs.asking.called).toBe('start_task\ncondition\ntaken_task\n');
});

describe('a crew that streams, and that a trigger has started', () => {
	let runs: Awaited<ReturnType<typeof runBoth>>;

	beforeAll(async () => {
		model.script = () => 'A text';
		const inputs = { crewai_trigger_payload: { from: 'Ann' } };
		runs = await runBoth(model, { project: 'letters', inputs });
	});

	it('`stream=True`: switched off, so the output comes whole. Lost: its chunks.', () => {
		expectSame(runs, twice('reading_task'));
	});

	it('Triggers (`crewai_trigger_payload`): the first task is told what they bring. Lost: nothing.', () => {
		const told = runs.asking.asked.map((conversation) => conversation.includes("'from': 'Ann'"));
		// The first task, once more after its rejection, and the second task.
		expect(told).toEqual([true, true, false]);
	});
});
