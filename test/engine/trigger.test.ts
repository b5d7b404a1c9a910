import type { NodeParameterValueType } from 'n8n-workflow';
import { KICKOFF_ID } from '../support/crewOperations';
import { callTrigger } from '../support/triggerCall';

const META = { customer: 42 };
const EVENT = {
	id: 'e1',
	execution_id: KICKOFF_ID,
	timestamp: '2025-01-01T00:00:02Z',
	type: 'crew_kickoff_completed',
	data: { result: 'Bees' },
};

/** A body of each kind from a crew, and what its item has besides the body's own fields. */
const CALLBACKS: Array<
	[kind: string, body: Record<string, unknown>, adds: Record<string, unknown>]
> = [
	[
		'task',
		{ name: 'write', expected_output: 'A text', output: '[1]', kickoff_id: KICKOFF_ID, meta: META },
		{ output_json: [1] },
	],
	['step', { thought: 'I search', tool: 'search', kickoff_id: KICKOFF_ID, meta: META }, {}],
	[
		'crew',
		{ kickoff_id: KICKOFF_ID, result: 'Bees', token_usage: { total_tokens: 7 }, meta: META },
		{ output: 'Bees' },
	],
	[
		'human_input',
		{ execution_id: KICKOFF_ID, task_id: 'write', output: 'A draft', meta: META },
		{ kickoff_id: KICKOFF_ID, task_output: 'A draft' },
	],
	['stream', { ...EVENT, meta: META }, { kickoff_id: KICKOFF_ID }],
];

const ALL = { events: [] };

describe('a callback', () => {
	it.each(CALLBACKS)(
		'of the kind %s becomes an item, recognized by its shape',
		async (event, body, adds) => {
			const { items, status } = await callTrigger({ body, parameters: ALL });
			expect(status).toBe(200);
			expect(items).toEqual([expect.objectContaining({ ...body, ...adds, event })]);
		},
	);

	it.each(CALLBACKS)(
		'of the kind %s becomes an item, recognized by its mark',
		async (event, body, adds) => {
			const call = { body, parameters: ALL, query: { callback: event } };
			const { items } = await callTrigger(call);
			expect(items).toEqual([expect.objectContaining({ ...body, ...adds, event })]);
		},
	);

	it.each([['text'], [['a', 'list']], [{ an: 'object' }]])(
		'stays one item where its payload has the names of n8n’s items, json: %j',
		async (json) => {
			const body = { kickoff_id: KICKOFF_ID, result: 'Bees', json };
			const own = { binary: { f: { id: 'filesystem:1' } }, error: 'x', pairedItem: 7 };
			const { items, sent } = await callTrigger({ body: { ...body, ...own }, parameters: ALL });
			expect(items).toEqual([expect.objectContaining({ ...body, ...own, event: 'crew' })]);
			// Nothing in the payload means anything to n8n: no file is opened, no item linked.
			expect(sent?.map((item) => Object.keys(item))).toEqual([['json']]);
		},
	);

	it.each([
		['application/json; charset=utf-8'],
		['application/json ; charset=utf-8'],
		['Application/JSON'],
		['application/cloudevents+json'],
		['application/vnd.crew.v1+json; charset=utf-8'],
		['text/json'],
		['text/plain'],
		['application/octet-stream'],
		[''],
	])('is read whatever its label: %j', async (label) => {
		const body = { kickoff_id: KICKOFF_ID, result: 'Bees' };
		const headers = { 'content-type': label };
		const { items } = await callTrigger({ body, headers, parameters: ALL });
		expect(items).toEqual([expect.objectContaining(body)]);
	});

	it('is read with a byte order mark', async () => {
		const body = `\uFEFF{"kickoff_id":"${KICKOFF_ID}","result":"Bees"}`;
		const headers = { 'content-type': 'text/plain' };
		const { items } = await callTrigger({ body, headers, parameters: ALL });
		expect(items).toMatchObject([{ result: 'Bees' }]);
	});

	it('has the time of its arrival, and an ID that stays when it is delivered again', async () => {
		const body = { result: 'Bees', kickoff_id: KICKOFF_ID, meta: { a: 1, b: 2 } };
		const again = { meta: { b: 2, a: 1 }, kickoff_id: KICKOFF_ID, result: 'Bees' };
		const other = { ...body, result: 'Ants' };
		const [first, second, third] = await Promise.all(
			[body, again, other].map(
				async (sent) => (await callTrigger({ body: sent, parameters: ALL })).items?.[0],
			),
		);
		expect(first?.received_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
		expect(first?.delivery_id).toMatch(/^[0-9a-f]{64}$/);
		expect(second?.delivery_id).toBe(first?.delivery_id);
		expect(third?.delivery_id).not.toBe(first?.delivery_id);
	});

	it('of the stream has the ID of its event', async () => {
		const { items } = await callTrigger({ body: { events: [EVENT] }, parameters: ALL });
		expect(items?.[0]?.delivery_id).toBe('e1');
	});

	it('with many events becomes an item for each, by time', async () => {
		const events = [EVENT, { ...EVENT, id: 'e0', timestamp: '2025-01-01T00:00:01Z' }];
		const { items } = await callTrigger({ body: { events, meta: META }, parameters: ALL });
		expect(items?.map(({ id, meta }) => ({ id, meta }))).toEqual([
			{ id: 'e0', meta: META },
			{ id: 'e1', meta: META },
		]);
	});

	it.each(['text/plain', 'application/x-www-form-urlencoded', ''])(
		'is read as JSON although it is labelled %j',
		async (type) => {
			const { items } = await callTrigger({
				body: '\uFEFF{"result":"Bees"}',
				headers: { 'content-type': type },
				parameters: ALL,
			});
			expect(items).toEqual([expect.objectContaining({ event: 'crew', output: 'Bees' })]);
		},
	);
});

describe('the chosen events', () => {
	const [task, step, crew] = CALLBACKS.map(([, body]) => body);

	it('start the workflow, the others do not', async () => {
		const parameters = { events: ['crew', 'step'] };
		const outcomes = await Promise.all(
			[task, step, crew].map(async (body) => await callTrigger({ body, parameters })),
		);
		expect(outcomes.map(({ items }) => items?.[0]?.event)).toEqual([undefined, 'step', 'crew']);
		expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200]);
	});

	it.each<[string, NodeParameterValueType | undefined, string[]]>([
		['everything where the field is left as it is', undefined, ['task', 'step', 'crew']],
		['everything where an expression gives nothing', '={{ null }}', ['task', 'step', 'crew']],
		['everything where an expression gives a number', '={{ 7 }}', ['task', 'step', 'crew']],
		['one kind as text', '={{ "crew" }}', ['crew']],
		['several kinds as text', '={{ "crew, step" }}', ['step', 'crew']],
		['a list', '={{ ["task", null] }}', ['task']],
		// Letter by letter, or as a part of a word, it would be a kind.
		['nothing where the text names no kind', '={{ "crews" }}', []],
	])('may come from an expression: %s', async (_what, events, expected) => {
		const { items = [], status } = await callTrigger({
			body: [task, step, crew],
			parameters: events === undefined ? {} : { events },
		});
		expect(status).toBe(200);
		expect(items.map(({ event }) => event)).toEqual(expected);
	});

	it('are picked out of a list of callbacks', async () => {
		const { items } = await callTrigger({
			body: [task, step, crew],
			parameters: { events: ['crew'] },
		});
		expect(items?.map(({ event }) => event)).toEqual(['crew']);
	});
});

describe('a body that is not a callback', () => {
	it.each([
		['an object of something else', { hello: 'world' }],
		['an empty object', {}],
		['a list of values', [1, 'two', null]],
	])('is answered with 200 and ignored if kinds are chosen: %s', async (_what, body) => {
		const outcome = await callTrigger({
			body,
			parameters: { events: ['crew', 'stream'], options: { eventTypes: ['task_started'] } },
		});
		expect(outcome.status).toBe(200);
		expect(outcome.items).toBeUndefined();
	});

	it('is ignored if its type is invalid, although its URL is for the stream', async () => {
		const outcome = await callTrigger({
			body: { type: { toString: 1 } },
			query: { callback: 'stream' },
			parameters: { events: ['stream'], options: { eventTypes: ['task_started'] } },
		});
		expect(outcome).toMatchObject({ status: 200, items: undefined });
	});

	it.each([
		['a list', (count: number) => Array.from({ length: count }, () => 7)],
		['a stream', (count: number) => ({ events: Array.from({ length: count }, () => 7) })],
	])('is refused if it is %s of more than 10,000 events', async (_what, bodyOf) => {
		const outcome = await callTrigger({ body: bodyOf(10_001), parameters: ALL });
		expect(outcome).toMatchObject({ status: 413, items: undefined });
		const most = await callTrigger({ body: bodyOf(10_000), parameters: ALL });
		expect(most.items).toHaveLength(10_000);
	});

	it('is refused if it holds more than a million values', async () => {
		const body = `[${'[],'.repeat(600_000)}0]`;
		const outcome = await callTrigger({ body, parameters: ALL });
		expect(outcome).toMatchObject({ status: 400, items: undefined });
	});

	it('is accepted if no kind is chosen', async () => {
		const { items } = await callTrigger({ body: { hello: 'world' }, parameters: ALL });
		expect(items).toEqual([expect.objectContaining({ event: 'unknown', hello: 'world' })]);
	});

	it('is refused with 400 if n8n cannot read it', async () => {
		const headers = { 'content-type': 'application/octet-stream' };
		const outcome = await callTrigger({ body: {}, headers, isBroken: true, parameters: ALL });
		expect(outcome).toMatchObject({ status: 400, items: undefined, logged: [] });
	});

	it('is not read before its token is right', async () => {
		const headers = { 'content-type': 'application/octet-stream' };
		const credential = { callbackSecret: 'a secret' };
		const outcome = await callTrigger({ body: {}, headers, isBroken: true, credential });
		expect(outcome.status).toBe(401);
	});

	it.each([
		['text', 'hello', 'text/plain'],
		['nothing', '', 'text/plain'],
		['a web page', '<html></html>', 'text/html'],
		['broken JSON', '{"result":', 'text/plain'],
		['a bare number', '42', 'application/json'],
		['bare text', '"hello"', 'application/json'],
		['null', 'null', 'application/json'],
		['a hundred thousand levels', '['.repeat(100_000) + ']'.repeat(100_000), 'application/json'],
	])('is refused with 400 if it is %s', async (_what, body, type) => {
		const outcome = await callTrigger({ body, headers: { 'content-type': type }, parameters: ALL });
		expect(outcome.status).toBe(400);
		expect(outcome.answer).toEqual({
			message: 'The body of a callback must be a JSON object or list',
		});
		expect(outcome.items).toBeUndefined();
	});
});
