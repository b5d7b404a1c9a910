import {
	CALLBACK_KINDS,
	kindOfMark,
	readCallback,
	type CallbackKind,
} from '../../../nodes/Crew/model/callback';

const ID = '0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d';
const META = { customer: 42 };
const EVENT = {
	id: 'e1',
	execution_id: ID,
	timestamp: '2025-01-01T00:00:00Z',
	type: 'crew_kickoff_completed',
	data: { result: 'Bees' },
};

interface Shape {
	body: Record<string, unknown>;
	/** What the event has in addition to the body's own fields. */
	adds: Record<string, unknown>;
}

const SHAPES: Array<[string, CallbackKind, Shape]> = [
	[
		'a task',
		'task',
		{
			body: {
				name: 'write',
				description: 'Write about bees',
				expected_output: 'A text',
				summary: 'Write…',
				agent: 'Writer',
				output: '{"title":"Bees"}',
				output_json: null,
				kickoff_id: ID,
				meta: META,
			},
			adds: { output_json: { title: 'Bees' } },
		},
	],
	[
		'a task with few fields',
		'task',
		{ body: { agent: 'Writer', output: 'Bees', kickoff_id: ID }, adds: {} },
	],
	[
		'a step',
		'step',
		{
			body: {
				prompt: 'Search',
				thought: 'I search',
				tool: 'search',
				tool_input: { q: 'bees' },
				result: '7 pages',
				kickoff_id: ID,
				meta: META,
			},
			adds: {},
		},
	],
	[
		'the last step, without a tool',
		'step',
		{ body: { thought: 'Done', result: 'Bees', kickoff_id: ID }, adds: {} },
	],
	[
		'the end of a crew',
		'crew',
		{
			body: {
				kickoff_id: ID,
				result: 'Bees',
				result_json: { title: 'Bees' },
				token_usage: { total_tokens: 7 },
				meta: META,
			},
			adds: { output: 'Bees', output_json: { title: 'Bees' } },
		},
	],
	[
		'the end of a crew in the form of its output',
		'crew',
		{
			body: { raw: 'Bees', json_dict: null, tasks_output: [], token_usage: {}, kickoff_id: ID },
			adds: { output: 'Bees' },
		},
	],
	[
		'a question',
		'human_input',
		{
			body: {
				execution_id: ID,
				task_id: 't1',
				task_name: 'write',
				task_output: 'Draft',
				meta: META,
			},
			adds: { kickoff_id: ID },
		},
	],
	[
		'a question with numbers as IDs and an object as output',
		'human_input',
		{
			body: { kickoff_id: 42, task_id: 7, output: { raw: 'Draft', agent: 'Writer' } },
			adds: { kickoff_id: '42', task_id: '7', task_output: 'Draft' },
		},
	],
	['an event of the stream', 'stream', { body: EVENT, adds: { kickoff_id: ID } }],
];

describe('readCallback', () => {
	it.each(SHAPES)('recognizes by its shape: %s', (_what, event, { body, adds }) => {
		expect(readCallback(body)).toEqual([{ ...body, ...adds, event }]);
	});

	it.each(SHAPES)('reads the same with its mark: %s', (_what, event, { body, adds }) => {
		expect(readCallback(body, event)).toEqual([{ ...body, ...adds, event }]);
	});

	it('believes the mark, not the shape', () => {
		const [body] = SHAPES.map(([, , shape]) => shape.body);
		expect(CALLBACK_KINDS.map((mark) => readCallback(body, mark)[0]?.event)).toEqual(
			CALLBACK_KINDS,
		);
		expect(readCallback({ result: 'Bees', events: [EVENT] }, 'crew')).toEqual([
			{ event: 'crew', result: 'Bees', events: [EVENT], output: 'Bees' },
		]);
	});

	it('returns one event per entry of the stream, in order, with the meta around them', () => {
		const other = { id: 'e2', type: 'task_started', data: { kickoff_id: ID, meta: { own: true } } };
		expect(readCallback({ events: [EVENT, other, 'ping'], meta: META })).toEqual([
			{ ...EVENT, event: 'stream', kickoff_id: ID, meta: META },
			{ ...other, event: 'stream', kickoff_id: ID, meta: META },
			{ event: 'stream', data: 'ping' },
		]);
		expect(readCallback({ events: [other] })[0]?.meta).toEqual({ own: true });
	});

	it('returns one event per entry of a list', () => {
		const body = [{ result: 'Bees' }, { events: [EVENT, EVENT] }, 7];
		expect(readCallback(body).map(({ event }) => event)).toEqual([
			'crew',
			'stream',
			'stream',
			'unknown',
		]);
	});

	it.each([
		['an object of something else', { hello: 'world' }, [{ hello: 'world', event: 'unknown' }]],
		['an empty object', {}, [{ event: 'unknown' }]],
		['a bare value', 7, [{ value: 7, event: 'unknown' }]],
		['an empty list', [], []],
		['an empty stream', { events: [] }, []],
		['an ID of another type', { hello: 1, kickoff_id: {} }, [{ hello: 1, event: 'unknown' }]],
	])('passes on %s', (_what, body: unknown, expected) => {
		expect(readCallback(body)).toEqual(expected);
	});

	it('keeps the key __proto__ as an own property', () => {
		const [event] = readCallback(JSON.parse('{"result":"Bees","__proto__":{"polluted":true}}'));
		expect(Object.keys(event!)).toContain('__proto__');
		expect(event).not.toHaveProperty('polluted');
		expect({}).not.toHaveProperty('polluted');
	});
});

describe('kindOfMark', () => {
	it.each(CALLBACK_KINDS)('knows %s', (kind) => {
		expect(kindOfMark(kind)).toBe(kind);
	});

	it.each([['CREW'], [''], ['unknown'], [['crew']], [undefined]])('does not know %j', (mark) => {
		expect(kindOfMark(mark)).toBeUndefined();
	});
});
