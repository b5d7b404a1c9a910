import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../crew-server/src';
import type { StreamEvent } from '../../crew-server/src/domain/execution';
import { SqlStore } from '../../crew-server/src/store/sqlStore';
import { Client } from './support/client';
import { dropStreams, followEvents } from './support/eventStream';
import { startReceiver } from './support/receiver';
import { until } from './support/until';

let crew: CrewServer;
let client: Client;

async function deploy(options: CrewServerOptions = {}): Promise<void> {
	crew = await startCrewServer({ crew: 'reviewed-article', ...options });
	client = new Client(crew);
}
afterEach(async () => {
	dropStreams();
	await crew.close();
});

const follow = (kickoffId: string, headers?: Record<string, string>, token?: string) =>
	followEvents(crew, kickoffId, headers, token);

const BEFORE_THE_QUESTION = ['crew_kickoff_started', 'task_started', 'human_feedback_requested'];

it('sends everything from the first event on, across a question, and closes at the end', async () => {
	await deploy();
	const id = await client.kickoff();
	const stream = await follow(id);
	expect(stream.response.statusCode).toBe(200);
	expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
	await until(() => stream.types.includes('human_feedback_requested'));
	const types = stream.types.filter((type) => BEFORE_THE_QUESTION.includes(type));
	expect(types).toEqual(BEFORE_THE_QUESTION);
	expect(stream.events.at(-1)).toMatchObject({
		execution_id: id,
		data: { task_id: 'write_draft', output: expect.stringContaining('# Tea') as string },
	});
	expect(stream.isClosed).toBe(false);
	await client.resume(id);
	await until(() => stream.isClosed);
	expect(stream.types.at(-1)).toBe('crew_kickoff_completed');
	// A late reader gets everything again.
	const late = await follow(id);
	await until(() => late.isClosed);
	expect(late.events).toEqual(stream.events);
});

it('continues after the last event that a client has seen, and starts again after an unknown one', async () => {
	await deploy({ crew: 'research' });
	const id = await client.kickoff();
	await client.untilStatus(id, 'completed');
	const all = await follow(id);
	await until(() => all.isClosed);
	const seen = all.events[1]!.id;
	const rest = await follow(id, { 'last-event-id': seen });
	await until(() => rest.isClosed);
	expect(rest.events).toEqual(all.events.slice(2));
	const none = await follow(id, { 'last-event-id': all.events.at(-1)!.id });
	await until(() => none.isClosed);
	expect(none.events).toEqual([]);
	const anew = await follow(id, { 'last-event-id': randomUUID() });
	await until(() => anew.isClosed);
	expect(anew.events).toEqual(all.events);
});

it('sends the beginning of long texts, and all of an output', async () => {
	await deploy({ crew: 'research', faults: ['output=150000'] });
	const receiver = await startReceiver();
	// The character at the limit takes two places.
	const topic = `x${'😀'.repeat(100_000)}`;
	const id = await client.kickoff({ inputs: { topic }, stepWebhookUrl: receiver.url });
	const { result } = await client.untilStatus(id, 'completed');
	const stream = await follow(id);
	await until(() => stream.isClosed);
	const { output } = result as { output: string };
	expect(output).toBe('x'.repeat(150_000));
	expect(stream.events.at(-1)!.data['output']).toBe(output);
	const played = stream.events.find(({ type }) => type === 'task_completed');
	expect(played!.data['output']).toContain(`x${'😀'.repeat(24_999)}… (200001 characters)`);
	const beginning = `x${'😀'.repeat(49_999)}… (200001 characters)`;
	expect(stream.events[0]!.data['inputs']).toEqual({ topic: beginning });
	for (const { type, data } of stream.events) {
		if (type.endsWith('_started')) expect(JSON.stringify(data).length).toBeLessThan(600_000);
	}
	const steps = receiver.received.map(({ body }) => body as Record<string, string>);
	expect(steps.at(-1)!['prompt']!.length).toBeLessThan(600_000);
	expect(steps.at(-1)!['result']).toBe(output);
	await receiver.close();
});

it('counts characters as they are in JSON', async () => {
	await deploy({ crew: 'research' });
	// As they are, all of them could be sent.
	const stream = await follow(await client.kickoff({ inputs: { topic: '\u0007'.repeat(90_000) } }));
	await until(() => stream.isClosed);
	const { topic } = stream.events[0]!.data['inputs'] as Record<string, string>;
	expect(topic).toBe(`${'\u0007'.repeat(16_666)}… (90000 characters)`);
	const played = stream.events.find(({ type }) => type === 'task_completed');
	expect(JSON.stringify(played!.data).length).toBeLessThan(200_000);
});

it('sends the first of very many inputs', async () => {
	await deploy({ crew: 'research' });
	const names = Array.from({ length: 40_000 }, (_, index) => `${'n'.repeat(90)}${index}`);
	const inputs = Object.fromEntries(names.map((name) => [name, 0]));
	const stream = await follow(await client.kickoff({ inputs: { topic: 'Tea', ...inputs } }));
	await until(() => stream.events.length > 0);
	const told = Object.entries(stream.events[0]!.data['inputs'] as object);
	expect(told.slice(0, 2)).toEqual([
		['topic', 'Tea'],
		[names[0], 0],
	]);
	expect(told.at(-1)).toEqual(['…', 'and more']);
	expect(JSON.stringify(told).length).toBeLessThan(150_000);
});

it('sends what each agent was asked, with the earlier outputs', async () => {
	await deploy({ crew: 'research' });
	const stream = await follow(await client.kickoff({ inputs: { topic: 'Tea' } }));
	await until(() => stream.isClosed);
	const prompts = stream.events
		.filter(({ type }) => type === 'llm_call_started')
		.map(({ data }) => String(data['prompt']));
	const outputs = prompts.map((prompt) => prompt.match(/^Output of .*\n.*/gm) ?? []);
	const sources = 'Output of find_sources:\n- An introduction to Tea';
	const findings = expect.stringMatching(/^Output of sort_findings:\n\{"topic": "Tea"/) as string;
	expect(outputs).toEqual([[], [sources], [sources, findings]]);
});

it('sends the same events as the callbacks, with the same identifiers', async () => {
	await deploy({ crew: 'research' });
	const receiver = await startReceiver();
	const webhooks = { url: receiver.url, events: ['task_completed'], realtime: true };
	const id = await client.kickoff({ webhooks });
	const stream = await follow(id);
	await until(() => stream.isClosed);
	await until(() => receiver.received.length === 3);
	await receiver.close();
	const called = receiver.received.flatMap(({ body }) => body['events'] as StreamEvent[]);
	expect(stream.events.filter(({ type }) => type === 'task_completed')).toEqual(called);
});

it('ends with the failure, and with a stop', async () => {
	await deploy();
	const failing = await client.kickoff({}, { 'x-crew-fault': 'task-fails' });
	const stream = await follow(failing);
	await until(() => stream.isClosed);
	expect(stream.types.at(-1)).toBe('crew_kickoff_failed');
	const stopped = await client.kickoff({}, { 'x-crew-fault': 'never-ends' });
	const other = await follow(stopped);
	await until(() => other.types.includes('task_started'));
	await client.post(`/stop/${stopped}`);
	await until(() => other.isClosed);
});

it('continues after a restart of the server', async () => {
	const dataFolder = mkdtempSync(join(tmpdir(), 'crew-data-'));
	await deploy({ dataFolder });
	const id = await client.kickoff();
	const before = await follow(id);
	await until(() => before.types.includes('human_feedback_requested'));
	await crew.close();
	await until(() => before.isClosed);
	await deploy({ dataFolder });
	await client.resume(id);
	const after = await follow(id, { 'last-event-id': before.events.at(-1)!.id });
	await until(() => after.isClosed);
	expect(after.types[0]).toBe('task_completed');
	const all = await follow(id);
	await until(() => all.isClosed);
	expect(all.events).toEqual([...before.events, ...after.events]);
	await crew.close();
	rmSync(dataFolder, { recursive: true });
});

it('shows a user token what was started with it, and nothing to strangers', async () => {
	await deploy();
	const id = await client.kickoff();
	expect((await follow(id, {}, 'other')).response.statusCode).toBe(401);
	expect((await follow(id, {}, crew.userAccessToken)).response.statusCode).toBe(404);
	expect((await follow(randomUUID())).response.statusCode).toBe(404);
	expect((await follow('none')).response.statusCode).toBe(400);
	const own = await new Client(crew, crew.userAccessToken).kickoff();
	expect((await follow(own, {}, crew.userAccessToken)).response.statusCode).toBe(200);
});

it('opens at most 100 streams at once, and takes another once one is gone', async () => {
	await deploy();
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const streams = await Promise.all(Array.from({ length: 100 }, () => follow(id)));
	expect(new Set(streams.map(({ response }) => response.statusCode))).toEqual(new Set([200]));
	const refused = await follow(id);
	expect(refused.response.statusCode).toBe(429);
	expect(refused.response.headers['retry-after']).toBe('15');
	streams[0]!.drop();
	await until(async () => (await follow(id)).response.statusCode === 200);
});

it('sends signs of life while nothing happens', async () => {
	await deploy({ heartbeat: 20 });
	const stream = await follow(await client.kickoff());
	await until(() => /alive.*\n\n: alive/s.test(stream.text));
});

it('drops a reader that takes nothing, which can come back for what it has missed', async () => {
	await deploy({ crew: 'research', heartbeat: 100, faults: ['output=10MB@find_sources*1'] });
	const id = await client.kickoff();
	const stream = await follow(id);
	stream.response.pause();
	await client.untilStatus(id, 'completed');
	const isOpen = () => crew.requests().some((one) => one.isOpen && one.path.endsWith('/events'));
	await until(() => !isOpen());
	const seen: StreamEvent[] = [];
	await until(async () => {
		// On a busy machine this reader may be dropped, too.
		const last = seen.at(-1)?.id;
		const again = await follow(id, last === undefined ? {} : { 'last-event-id': last });
		await until(() => again.isClosed);
		seen.push(...again.events);
		return seen.at(-1)?.type === 'crew_kickoff_completed';
	}, 30_000);
	expect(new Set(seen.map((event) => event.id)).size).toBe(seen.length);
});

it('has room again if clients have left before their streams were open', async () => {
	await deploy();
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	// Reading the execution takes a moment, which is longer here.
	let go: () => void = () => undefined;
	const hold = new Promise<void>((resolve) => (go = resolve));
	const reading = jest.spyOn(SqlStore.prototype, 'getBrief');
	reading.mockImplementation(async function (this: SqlStore, kickoffId) {
		await hold;
		const stored = await this.get(kickoffId);
		return stored && { ...stored, brief: stored.execution };
	});
	const headers = { authorization: `Bearer ${crew.accessToken}` };
	const early = Array.from({ length: 100 }, () =>
		get(`${crew.url}/${id}/events`, { headers }).on('error', () => undefined),
	);
	await until(() => reading.mock.calls.length === 100);
	for (const request of early) request.destroy();
	await until(() => crew.requests().every(({ isOpen }) => !isOpen));
	reading.mockRestore();
	go();
	expect((await follow(id)).response.statusCode).toBe(200);
});
