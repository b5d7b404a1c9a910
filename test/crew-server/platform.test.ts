import { randomUUID } from 'node:crypto';

import type { CrewDefinition, CrewServerOptions } from '../../crew-server/src';
import { Client } from './support/client';
import { anyNumber, anyText, textLike, textWith } from './support/matchers';
import { NOT_FOUND, startPlatform, UUID, type Platform } from './support/platform';
import { until } from './support/until';

/** The dialect `platform`: everything that is known about the vendor's own platform. */

let platform: Platform;
let { crew, client, receiver, statusOf, untilState } = {} as Platform;

async function deploy(options?: CrewServerOptions): Promise<void> {
	platform = await startPlatform(options);
	({ crew, client, receiver, statusOf, untilState } = platform);
}
afterEach(() => platform.close());

describe('status', () => {
	it('has one path, and reports progress in a task queue’s words, with messages', async () => {
		await deploy({ faults: ['never-ends@find_sources*1'] });
		const stuck = await client.kickoff();
		expect((await client.get(`/${stuck}/status`)).status).toBe(404);
		await until(async () => (await statusOf(stuck))['events_count'] === 4);
		expect(await statusOf(stuck)).toEqual({
			state: 'STARTED',
			status: 'Task is Running',
			result: null,
			result_json: null,
			usage_metrics: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
			progress: {
				unit: 'task',
				completed: 0,
				total: 3,
				remaining: 3,
				current: 'find_sources',
				current_agent: anyText,
				started_at: textLike(/^\d{4}-.*Z$/),
				updated_at: textLike(/^\d{4}-.*Z$/),
				duration_seconds: anyNumber,
			},
			last_step: null,
			last_executed_task: null,
			last_event: {
				id: anyText,
				execution_id: stuck,
				timestamp: anyText,
				type: 'llm_call_started',
			},
			events_count: 4,
			execution_origin: 'api',
		});
		const id = await client.kickoff({ meta: { ticket: 1 } });
		expect(await untilState(id, 'RUNNING')).toMatchObject({
			status: 'Task is Running',
			progress: { completed: 1, remaining: 2, current: 'sort_findings' },
			last_executed_task: {
				task_id: textLike(UUID),
				name: 'find_sources',
				output: anyText,
				meta: { ticket: 1 },
			},
		});
		expect(await untilState(id, 'SUCCESS')).toMatchObject({
			status: null,
			result: textWith('Tea'),
			result_json: null,
			usage_metrics: { total_tokens: anyNumber },
			progress: { completed: 3, remaining: 0, current: null, current_agent: null },
			last_step: { thought: anyText },
			last_event: { type: 'crew_kickoff_completed' },
		});
		expect((await statusOf(id))['usage_metrics']).not.toMatchObject({ total_tokens: 0 });
	});

	it('has the error’s text as its message, and then calls no crew callback', async () => {
		await deploy();
		const crewWebhookUrl = `${receiver.url}/crew`;
		const webhooks = { url: `${receiver.url}/events`, events: ['crew_kickoff_failed'] };
		const body = { crewWebhookUrl, webhooks };
		const id = await client.kickoff(body, { 'x-crew-fault': 'task-fails@find_sources' });
		expect(await untilState(id, 'FAILED')).toMatchObject({
			status: textWith('find_sources'),
			result: null,
		});
		await until(() => receiver.bodiesAt('/events').length === 1);
		expect(receiver.bodiesAt('/crew')).toEqual([]);
	});

	it('does not know how many steps a flow takes, nor which inputs it needs', async () => {
		const inputs = [{ name: 'topic', type: 'string', required: true }] as const;
		const task = { name: 'draft', description: 'D', expectedOutput: 'T', agent: 'Flow' };
		const flow: CrewDefinition = {
			name: 'flow',
			kind: 'flow',
			inputs: [...inputs],
			tasks: [
				{ ...task, output: 'One' },
				{ ...task, name: 'never', output: 'Two', duration: 600_000 },
			],
		};
		await deploy({ crew: flow });
		const { status, body } = await client.post('/kickoff', {});
		expect(status).toBe(200);
		const { progress } = await until(async () => {
			const answer = await statusOf(String(body['kickoff_id']));
			return answer['state'] === 'RUNNING' && answer;
		});
		expect(progress).toMatchObject({
			unit: 'step',
			completed: 1,
			total: null,
			remaining: null,
			current: 'never',
			current_agent: 'Flow',
		});
	});

	it.each([randomUUID(), 'no-uuid'])('answers with 200 for an unknown ID: %s', async (id) => {
		await deploy();
		expect(await client.get(`/status/${id}`)).toMatchObject({ status: 200, body: NOT_FOUND });
		expect(await statusOf(id)).toEqual(NOT_FOUND);
	});

	it('says the same to a user token about executions of others', async () => {
		await deploy();
		const id = await client.kickoff();
		const user = new Client(crew, crew.userAccessToken);
		expect((await user.get(`/status/${id}`)).body).toEqual(NOT_FOUND);
	});
});

it('calls no step of an agent that uses no tool', async () => {
	const task = { description: 'D', expectedOutput: 'T', agent: 'A', output: 'Done', duration: 1 };
	const tasks = [
		{ ...task, name: 'thinks' },
		{ ...task, name: 'searches', tools: ['search'] },
		{ ...task, name: 'writes' },
	];
	await deploy({ crew: { name: 'tools', inputs: [], tasks } });
	const stepWebhookUrl = `${receiver.url}/step`;
	await client.kickoff({ stepWebhookUrl, crewWebhookUrl: `${receiver.url}/crew` });
	await until(() => receiver.bodiesAt('/crew').length === 1);
	// Each path has its own order.
	await until(() => receiver.bodiesAt('/step').length >= 2);
	const steps = receiver.bodiesAt('/step');
	expect(steps).toMatchObject([{ tool: 'search' }, { result: 'Done' }]);
	expect(steps[1]).not.toHaveProperty('tool');
});

it('refuses with the platform’s own texts', async () => {
	const input = { type: 'string', required: true } as const;
	const inputs = [
		{ ...input, name: 'topic' },
		{ ...input, name: 'audience' },
	];
	await deploy({ crew: { name: 'two', inputs, tasks: [] } });
	expect(await client.post('/kickoff', { inputs: {} })).toMatchObject({
		status: 422,
		body: { detail: 'Missing inputs: audience, topic' },
	});
	expect(await client.post('/kickoff', {})).toMatchObject({
		status: 422,
		body: { detail: 'Missing inputs: audience, topic' },
	});
	expect(await client.post('/kickoff', '{')).toMatchObject({
		status: 500,
		body: { text: 'Internal Server Error' },
	});
	expect(await client.get('/inputs', { authorization: '' })).toMatchObject({
		status: 401,
		body: { detail: 'Not authenticated' },
	});
	expect(await client.get('/inputs', { authorization: 'Bearer wrong' })).toMatchObject({
		status: 401,
		body: { detail: 'Invalid or missing authentication credentials' },
	});
	expect((await fetch(crew.url)).status).toBe(404);
	// People still find their page there.
	expect((await fetch(crew.url, { headers: { accept: 'text/html' } })).status).toBe(200);
});

it('numbers the events of an execution', async () => {
	await deploy();
	const url = `${receiver.url}/events`;
	const types = ['crew_kickoff_started', 'task_started', 'crew_kickoff_completed'];
	const id = await client.kickoff({ webhooks: { url, events: types } });
	await untilState(id, 'SUCCESS');
	await until(() => receiver.bodiesAt('/events').length === 1);
	const events = receiver.bodiesAt('/events')[0]!['events'] as Array<{
		data: { emission_sequence: number };
	}>;
	const numbers = events.map(({ data }) => data.emission_sequence);
	expect(numbers.slice(0, 2)).toEqual([1, 2]);
	expect(numbers.at(-1)).toBe((await statusOf(id))['events_count']);
});
