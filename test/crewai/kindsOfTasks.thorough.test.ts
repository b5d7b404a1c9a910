import type { Client } from '../crew-server/support/client';
import { expectSame, runBoth, twice } from './support/comparison';
import { answer, statusWhen } from './support/questions';
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

it('`output_pydantic`, `output_json`: the same structured output with and without questions. Lost: nothing.', async () => {
	const runs = await runBoth(model, { project: 'reviews' });
	expectSame(runs, twice('model_task', 'dictionary_task'));
	expect(runs.asking.called).toBe(
		"model_task ['Review']\ndictionary_task ['dict']\ntext_task []\n",
	);
});

it('Guardrails: they check what the person approved. A refusal counts as a try, and the task asks again and says why. Lost: nothing.', async () => {
	model.script = (request) => (textOf(request).includes('too long') ? 'A text' : 'A long text');
	const runs = await runBoth(model, {
		project: 'gates',
		afterwards: async (place) => {
			model.script = () => 'A long text';
			const { client } = place;
			const kickoffId = await client.kickoff({ inputs: { topic: 'Tea', asks: true } });
			await asks(client, kickoffId, 'short_task');
			await answer(client, kickoffId, 'short_task', true);
			await statusWhen(client, kickoffId, ({ task_output: output }) =>
				String(output).includes('too long'),
			);
			await place.restart();
			await answer(place.client, kickoffId, 'short_task', true);
			const ended = await statusWhen(place.client, kickoffId, ({ status }) => status === 'error');
			expect(ended['error']).toContain('after 1 retries. Last error: It is too long');
		},
	});
	expectSame(runs, ['short_task', ...twice('short_task', 'kind_task')]);
	expect(runs.asking.callbacks['human']?.map(({ task_output: output }) => output)).toContain(
		'A text\n\nA guardrail has refused the answer before this one: It is too long',
	);
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

	it('Triggers (`crewai_trigger_payload`): the first task gets their payload. Lost: nothing.', () => {
		const told = runs.asking.asked.map((conversation) => conversation.includes("'from': 'Ann'"));
		// The first task, once more after its rejection, and the second task.
		expect(told).toEqual([true, true, false]);
	});
});
