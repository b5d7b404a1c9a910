import { join } from 'node:path';

import { startLocalCrew, type LocalCrew } from '../../local-crew/src';
import { startChatEndpoint, type ChatEndpoint, type ChatRequest } from './support/chatEndpoint';
import { Client } from './support/client';
import { textWith } from './support/matchers';

let crew: LocalCrew;
let endpoint: ChatEndpoint;

async function deploy(
	answer: (asked: ChatRequest, index: number) => { status?: number; body: unknown },
	name = 'reviewed-article',
): Promise<Client> {
	endpoint = await startChatEndpoint(answer);
	const model = { url: `${endpoint.url}/`, name: 'small-model', apiKey: 'model-key' };
	crew = await startLocalCrew({ crew: name, model });
	return new Client(crew);
}
afterEach(async () => {
	await crew.close();
	await endpoint.close();
});

const says = (content: string) => ({
	body: {
		choices: [{ message: { role: 'assistant', content } }],
		usage: { total_tokens: 30, prompt_tokens: 20, completion_tokens: 10 },
	},
});
const asked = (index: number) =>
	endpoint.asked[index]?.messages.map(({ content }) => content).join('\n');

it('works on the tasks in order, with earlier outputs and what people said', async () => {
	const client = await deploy((_asked, index) => says(`answer ${index}`));
	const id = await client.kickoff();
	expect(await client.untilStatus(id, 'pending_human_input')).toMatchObject({
		task_output: 'answer 1',
	});
	await client.resume(id, { is_approve: false, human_feedback: 'Less milk' });
	expect(await client.untilStatus(id, 'pending_human_input')).toMatchObject({
		task_output: 'answer 2',
	});
	await client.resume(id, { human_feedback: 'Well done' });
	expect(await client.untilStatus(id, 'completed')).toMatchObject({
		result: { output: 'answer 3', tasks: [{ output: 'answer 2' }, { output: 'answer 3' }] },
	});
	expect(endpoint.asked).toHaveLength(3);
	expect(endpoint.asked[0]).toMatchObject({
		path: '/v1/chat/completions',
		authorization: 'Bearer model-key',
		model: 'small-model',
		messages: [
			{ role: 'system', content: textWith('You are Writer.') },
			{ role: 'user', content: textWith('Write an article about Tea') },
		],
	});
	expect(asked(1)).toContain('Your earlier output:\nanswer 1');
	expect(asked(1)).toContain('rejected the output of write_draft and said:\nLess milk');
	expect(asked(2)).toContain('Output of write_draft:\nanswer 2');
	expect(asked(2)).toContain('approved the output of write_draft and said:\nWell done');
	expect(crew.executions()[0]?.tokenUsage.total_tokens).toBe(90);
});

it("tells the model who a project's agents are", async () => {
	const project = join(__dirname, 'fixtures', 'latest-ai');
	const client = await deploy(() => says('a list'), project);
	const id = await client.kickoff({
		inputs: { topic: 'Tea', current_year: '2026', audience: 'all' },
	});
	await client.untilStatus(id, 'pending_human_input');
	expect(asked(0)).toContain('You are Tea Senior Data Researcher.');
	expect(asked(0)).toContain('Your goal: Uncover cutting-edge developments in Tea');
	expect(asked(0)).toContain('seasoned researcher');
});

it.each([
	['refuses', { status: 401, body: 'wrong key' }, "The model's endpoint answered 401: wrong key"],
	['says nothing', { body: { choices: [] } }, "The model's endpoint answered without a text."],
	['sends no JSON', { body: 'no json' }, 'cannot be used: '],
	[
		'says more than an output may have',
		says('x'.repeat(17 * 1024 ** 2)),
		'The output of the task has 17 MB; this deployment takes at most 16 MB.',
	],
	[
		'says more than can be read',
		says('x'.repeat(33 * 1024 ** 2)),
		"The model's answer is too long to be read.",
	],
])('fails with the reason where the model %s', async (_what, answer, reason) => {
	const client = await deploy(() => answer);
	const id = await client.kickoff();
	const { error } = await client.untilStatus(id, 'error');
	expect(error).toContain(reason);
});

it('fails where there is no model', async () => {
	const client = await deploy(() => says(''));
	await endpoint.close();
	const id = await client.kickoff();
	expect(await client.untilStatus(id, 'error')).toMatchObject({ error: textWith('ECONNREFUSED') });
});
