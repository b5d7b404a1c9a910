/** Bodies that once took seconds to handle, each about as large as allowed. */

const MEGABYTE = 1024 ** 2;
const HUGE = 'x'.repeat(4.9 * MEGABYTE);
const NOWHERE = 'http://127.0.0.1:9/';

const many = (count: number, one: (index: number) => string) =>
	Array.from({ length: count }, (_, index) => one(index)).join(',');

const kickoffWith = (fields: object, topic: unknown = 'Tea') =>
	JSON.stringify({ inputs: { topic }, ...fields });

const TARGETS = { taskWebhookUrl: NOWHERE, stepWebhookUrl: NOWHERE, crewWebhookUrl: NOWHERE };
const STREAM = {
	url: NOWHERE,
	events: ['crew_kickoff_started', 'task_started', 'task_completed', 'crew_kickoff_completed'],
	realtime: true,
};

export const HOSTILE_BODIES: Array<[string, () => string]> = [
	['5 MB of brackets', () => '['.repeat(5 * MEGABYTE - 10)],
	['a text of 5 MB', () => kickoffWith({}, HUGE)],
	['a text of escapes', () => kickoffWith({}, '\n'.repeat(2.4 * MEGABYTE))],
	['millions of numbers', () => `{"inputs": {"topic": [${many(2_000_000, () => '0')}]}}`],
	['as many fields as allowed', () => `{"inputs": {${many(49_900, (at) => `"a${at}": ${at}`)}}}`],
	[
		'unknown fields',
		() => `{"inputs": {"topic": "Tea"}, ${many(49_900, (at) => `"a${at}": ${at}`)}}`,
	],
	[
		'as many mistakes as allowed',
		() =>
			`{"inputs": {}, "webhooks": {"url": "http://a/", "events": [${many(49_900, () => '0')}]}}`,
	],
	['an address of 5 MB', () => kickoffWith({ crewWebhookUrl: `${NOWHERE}${HUGE}` })],
	[
		'a token of 5 MB',
		() => {
			const authentication = { strategy: 'bearer', token: HUGE };
			return kickoffWith({ humanInputWebhook: { url: NOWHERE, authentication } });
		},
	],
	[
		'1 MB of meta, for many callbacks',
		() =>
			kickoffWith({
				meta: { text: 'x'.repeat(MEGABYTE - 100) },
				...TARGETS,
			}),
	],
	[
		'1 MB of meta, for each event',
		() => kickoffWith({ meta: { text: 'x'.repeat(MEGABYTE - 100) }, webhooks: STREAM }),
	],
	['a text of 5 MB, for many callbacks', () => kickoffWith(TARGETS, HUGE)],
	[
		'5 MB of inputs, for each event',
		() =>
			`{"inputs": {"topic": "Tea", ${many(49, (at) => `"a${at}": "${'x'.repeat(99_000)}"`)}}, "webhooks": ${JSON.stringify(STREAM)}}`,
	],
	[
		'many types of events',
		() =>
			kickoffWith({
				webhooks: {
					...STREAM,
					events: Array.from({ length: 49_000 }, (_, index) => `type${index}`),
				},
			}),
	],
	[
		'a text of characters that are escaped as numbers',
		() => `{"inputs": {"topic": "${'\\u0007'.repeat(850_000)}"}}`,
	],
	['a text of halves of characters', () => `{"inputs": {"topic": "${'\\ud800'.repeat(850_000)}"}}`],
	[
		'names of halves of characters',
		() =>
			`{"inputs": {"topic": "Tea", ${many(49_900, (at) => `"${'\\ud800'.repeat(15)}${at}": ""`)}}}`,
	],
	['a text of characters of four bytes', () => kickoffWith({}, '😀'.repeat(1.2 * MEGABYTE))],
	['a text of placeholders', () => kickoffWith({}, '{topic}'.repeat(0.7 * MEGABYTE))],
	['a name of 5 MB', () => `{"inputs": {"topic": "Tea", "${HUGE}": 1}}`],
	['a number of 5 MB', () => `{"inputs": {"topic": "Tea", "a": ${'9'.repeat(4.9 * MEGABYTE)}}}`],
	[
		'long numbers',
		() => `{"inputs": {"topic": "Tea", "a": [${many(49_900, () => '7'.repeat(100))}]}}`,
	],
	[
		'the same field again and again',
		() => `{"inputs": {"topic": "Tea", ${many(49_900, (at) => `"a": ${at}`)}}}`,
	],
	[
		'names that are numbers',
		() => `{"inputs": {"topic": "Tea", ${many(49_900, (at) => `"${at * 80_000}": 0`)}}}`,
	],
	[
		'lists as deep as allowed',
		() =>
			`{"inputs": {"topic": "Tea", "a": [${many(99, () => '['.repeat(490) + ']'.repeat(490))}]}}`,
	],
	[
		'objects as deep as allowed',
		() =>
			`{"inputs": {"topic": "Tea", "a": [${many(99, () => '{"a":'.repeat(490) + '0' + '}'.repeat(490))}]}}`,
	],
];
