import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../crew-server/src';
import { Client } from './support/client';
import { anyList, anyNumber, anyText, having, textLike, textWith } from './support/matchers';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

let crew: CrewServer;
let client: Client;
let receiver: Receiver;
const others: Receiver[] = [];

beforeEach(async () => {
	await deploy();
	receiver = await startReceiver();
});
afterEach(async () => {
	await crew.close();
	await Promise.all([receiver, ...others.splice(0)].map((one) => one.close()));
});

/** @param delivery `timeout`: milliseconds until a receiver that does not answer is called again */
async function deploy(delivery: CrewServerOptions['delivery'] = {}): Promise<void> {
	crew = await startCrewServer({ delivery: { retryDelay: 10, ...delivery } });
	client = new Client(crew);
}

const on = (path: string) => receiver.received.filter((one) => one.path === path);
const bodies = (path: string) => on(path).map(({ body }) => body);

it('calls back for each task, each step and the crew, in order and with meta', async () => {
	const meta = { order: 7, tags: ['a'] };
	const kickoff_id = await client.kickoff({
		meta,
		taskWebhookUrl: `${receiver.url}/task`,
		stepWebhookUrl: `${receiver.url}/step?n=1`,
		crewWebhookUrl: `${receiver.url}/crew`,
	});
	// Only those to the same URL wait for each other: 3 tasks, 4 steps and the end.
	await until(() => receiver.received.length === 8);
	expect(bodies('/task').map(({ name }) => name)).toEqual([
		'find_sources',
		'sort_findings',
		'write_report',
	]);
	expect(bodies('/task')[1]).toEqual({
		name: 'sort_findings',
		description: 'Sort what the sources say about Tea, the most important first',
		expected_output: 'Findings about Tea as JSON',
		summary: 'Sort what the sources say about Tea, the most important...',
		agent: 'Analyst',
		output: textWith('{"topic": "Tea"'),
		output_json: { topic: 'Tea', findings: anyList },
		kickoff_id,
		meta,
	});
	expect(bodies('/task')[0]).toMatchObject({ output_json: null });
	const steps = bodies('/step?n=1');
	expect(steps).toHaveLength(4);
	expect(steps[0]).toEqual({
		prompt: textWith('Find sources'),
		thought: anyText,
		tool: 'web_search',
		tool_input: '{"topic":"Tea"}',
		result: anyText,
		kickoff_id,
		meta,
	});
	expect(Object.keys(steps[1]!)).toEqual(['prompt', 'thought', 'result', 'kickoff_id', 'meta']);
	expect(bodies('/crew')).toEqual([
		{
			result: textLike(/^Interest in Tea/),
			result_json: null,
			token_usage: {
				total_tokens: anyNumber,
				prompt_tokens: anyNumber,
				completion_tokens: anyNumber,
			},
			kickoff_id,
			meta,
		},
	]);
	expect(on('/crew')[0]?.headers['authorization']).toBeUndefined();
	await until(async () => (await crew.callbacks()).every(({ fate }) => fate === 'delivered'));
	expect((await crew.callbacks()).at(-1)).toMatchObject({
		kind: 'crew',
		attempts: [{ status: 200 }],
		kickoffId: kickoff_id,
	});
});

it('streams the requested events, many at once', async () => {
	const id = await client.kickoff({
		meta: { a: 1 },
		webhooks: {
			url: `${receiver.url}/events`,
			events: ['crew_kickoff_started', 'task_completed', 'crew_kickoff_completed'],
			authentication: { strategy: 'bearer', token: 'stream-token' },
		},
	});
	await until(() => on('/events').length === 1);
	const [{ body, headers }] = on('/events') as [(typeof receiver.received)[0]];
	expect(headers['authorization']).toBe('Bearer stream-token');
	expect(body['meta']).toEqual({ a: 1 });
	const events = body['events'] as Array<Record<string, unknown>>;
	expect(events.map(({ type }) => type)).toEqual([
		'crew_kickoff_started',
		'task_completed',
		'task_completed',
		'task_completed',
		'crew_kickoff_completed',
	]);
	expect(events[0]).toEqual({
		id: anyText,
		execution_id: id,
		timestamp: textLike(/^\d{4}-.*Z$/),
		type: 'crew_kickoff_started',
		data: having({ inputs: { topic: 'Tea' } }),
	});
});

it('streams each event by itself if realtime is asked for', async () => {
	await client.kickoff({
		webhooks: {
			url: `${receiver.url}/events`,
			events: ['task_started', 'tool_usage_finished', 'crew_kickoff_completed'],
			realtime: true,
			authentication: { strategy: 'basic', username: 'u', password: 'p:ö' },
		},
	});
	await until(() => on('/events').length === 5);
	expect(bodies('/events').map(({ events }) => (events as unknown[]).length)).toEqual([
		1, 1, 1, 1, 1,
	]);
	const expected = `Basic ${Buffer.from('u:p:ö').toString('base64')}`;
	expect(on('/events')[0]?.headers['authorization']).toBe(expected);
});

it('tries again after no answer or a fault of the receiver, at most three times', async () => {
	const flaky = await startReceiver((index) => [503, 'hang', 200][index] as number | 'hang');
	const gone = await startReceiver();
	await gone.close();
	const refusing = await startReceiver(() => 404);
	others.push(flaky, refusing);
	await crew.close();
	await deploy({ timeout: 1_000 });
	await client.kickoff({ crewWebhookUrl: flaky.url });
	await client.kickoff({ crewWebhookUrl: gone.url });
	await client.kickoff({ crewWebhookUrl: refusing.url });
	const all = await until(async () => {
		const callbacks = await crew.callbacks();
		const fates = callbacks.map(({ fate }) => fate);
		return fates.length === 3 && !fates.includes('due') && callbacks;
	});
	const byUrl = (url: string) => all.find((one) => one.url === url);
	expect(byUrl(flaky.url)).toMatchObject({
		fate: 'delivered',
		attempts: [
			{ status: 503, problem: 'answered 503' },
			{ problem: 'no answer within 1000 ms' },
			{ status: 200 },
		],
	});
	expect(byUrl(gone.url)).toMatchObject({
		fate: 'given_up',
		attempts: Array(3).fill({ problem: textWith('ECONNREFUSED') }),
	});
	expect(byUrl(refusing.url)).toMatchObject({ fate: 'given_up', attempts: [{ status: 404 }] });
});

it('tries more often what someone may be waiting for', async () => {
	const gone = await startReceiver();
	await gone.close();
	await crew.close();
	await deploy({ triesOfAwaited: 4 });
	const url = (kind: string) => `${gone.url}/${kind}`;
	await client.kickoff({ taskWebhookUrl: url('task'), crewWebhookUrl: url('crew') });
	const given = await until(async () => {
		const all = await crew.callbacks();
		return all.some(({ kind, fate }) => kind === 'crew' && fate === 'given_up') && all;
	});
	const tries = given.map(({ kind, attempts }) => `${kind} ${attempts.length}`);
	expect(tries).toEqual(['task 3', 'task 3', 'task 3', 'crew 4']);
});
