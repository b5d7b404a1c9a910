import fc, { type Arbitrary } from 'fast-check';

/** Names that objects inherit. */
const INHERITED = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then'];

/** Names and words of the API, so that nonsense gets past the first checks. */
export const NAMES = [
	...['inputs', 'name', 'type', 'required', 'description', 'properties', 'anyOf', 'kickoff_id'],
	...['kickoffId', 'execution_id', 'id', 'state', 'status', 'result', 'result_json', 'output'],
	...['raw', 'json_dict', 'tasks', 'tasks_output', 'token_usage', 'progress', 'current_task'],
	...['last_step', 'last_executed_task', 'error', 'message', 'detail', 'errors', 'details'],
	...[
		'missing_inputs',
		'loc',
		'msg',
		'title',
		'reason',
		'execution_time',
		'task_id',
		'task_output',
	],
	...['output_json', 'events', 'event', 'meta', 'data', 'timestamp', 'expected_output', 'summary'],
	...['task_name', 'thought', 'prompt', 'tool', 'tool_input', 'agent', 'pending_task'],
	...['human_input', 'triggerUrl', 'triggerEvents', 'streamEvents', 'crewWebhookUrl'],
	...['taskWebhookUrl', 'stepWebhookUrl', 'humanInputWebhookUrl'],
];

const WORDS = [
	...['completed', 'SUCCESS', 'FAILURE', 'running', 'PENDING', 'NOT FOUND', 'Pending Human Input'],
	...[
		'timed_out',
		'REVOKED',
		'resumed',
		'retrying',
		'crew',
		'task',
		'step',
		'stream',
		'human_input',
	],
	...['crew_kickoff_completed', 'crew_kickoff_failed', 'string', 'integer', 'missing', 'null'],
	...['https://n8n.example.com/webhook/1', 'https://a@b', 'http://[', 'https:///x', '//x', '\\\\x'],
	...[
		'a/../b',
		'%2f..',
		'%2e%2e',
		'a\r\nX-Injected: 1',
		'\0',
		'\uFEFF{}',
		'\ud800',
		'\udc00\ud800',
	],
	...[
		'2026-11-21T08:00:00Z',
		'+275760-09-13T00:00:00.001Z',
		'-999999-01-01',
		'Sun, 31 Feb 99999 GMT',
	],
	...[
		'9007199254740993',
		'1e999',
		'-0',
		'NaN',
		'{"a":1}',
		'{"result":[',
		'[[[[',
		'{"__proto__":{"x":1}}',
	],
];

/** A megabyte of a character or piece that begins or ends something in a format that is read here. */
const megabytes = fc
	.constantFrom(
		'x',
		' ',
		'[',
		'{"a":',
		'"',
		'\\',
		'\n',
		'9',
		'.',
		'/',
		'%',
		'@',
		'_',
		'Aa',
		'\ud800',
	)
	.map((piece) => piece.repeat(Math.ceil(1_000_000 / piece.length)));

/** Text of any UTF-16 units, including halves of characters; now and then a megabyte. */
export const strangeText: Arbitrary<string> = fc.oneof(
	{ weight: 600, arbitrary: fc.constantFrom(...WORDS, ...NAMES, ...INHERITED) },
	{ weight: 300, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
	{ weight: 300, arbitrary: fc.string({ maxLength: 30 }) },
	{
		weight: 200,
		arbitrary: fc
			.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 10 })
			.map((units) => String.fromCharCode(...units)),
	},
	{ weight: 1, arbitrary: megabytes },
);

const strangeNumber: Arbitrary<number> = fc.oneof(
	fc.double({ noNaN: true, noDefaultInfinity: true }),
	fc.integer(),
	fc.constantFrom(0, -0, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 8.64e15 + 1, 1e308, 5e-324),
);

const strangeName = fc.oneof(
	{ weight: 20, arbitrary: fc.constantFrom(...NAMES) },
	{ weight: 2, arbitrary: fc.constantFrom(...INHERITED) },
	{ weight: 1, arbitrary: strangeText },
);

/** Like objects from JSON.parse: `__proto__` is a name like any other. */
const objectOf = <T>(value: Arbitrary<T>): Arbitrary<Record<string, T>> =>
	fc
		.array(fc.tuple(strangeName, value), { maxLength: 8 })
		.map((entries) => Object.fromEntries(entries) as Record<string, T>);

/** Any JSON value, not very deep; with arrays in place of objects and the other way round. */
export const strangeJson: Arbitrary<unknown> = fc.letrec((tie) => ({
	value: fc.oneof(
		{ depthSize: 'medium', withCrossShrink: true },
		fc.oneof(strangeText, strangeNumber, fc.boolean(), fc.constant(null)),
		fc.array(tie('value'), { maxLength: 6 }),
		objectOf(tie('value')),
	),
})).value;

/** A value nested up to 100,000 levels deep: in arrays, in objects, in both. */
export const deepJson: Arbitrary<unknown> = fc
	.tuple(
		fc.oneof({ weight: 9, arbitrary: fc.nat(1_000) }, { weight: 1, arbitrary: fc.nat(100_000) }),
		fc.array(fc.option(fc.constantFrom(...NAMES, '__proto__')), { minLength: 1, maxLength: 4 }),
		strangeJson,
	)
	.map(([depth, names, innermost]) => {
		let value = innermost;
		for (let level = 0; level < depth; level++) {
			const name = names[level % names.length];
			value = typeof name === 'string' ? Object.fromEntries([[name, value]]) : [value];
		}
		return value;
	});
