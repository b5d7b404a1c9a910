/** Bodies that took seconds, each of the largest size that is taken. */

const MEGABYTE = 1024 ** 2;
const HUGE = 'x'.repeat(4.9 * MEGABYTE);
const NOWHERE = 'http://127.0.0.1:9/';

const many = (count: number, one: (index: number) => string) =>
	Array.from({ length: count }, (_, index) => one(index)).join(',');

const kickoffWith = (fields: object, topic: unknown = 'Tea') =>
	JSON.stringify({ inputs: { topic }, ...fields });

export const HOSTILE_BODIES: Array<[string, () => string]> = [
	['5 MB of brackets', () => '['.repeat(5 * MEGABYTE - 10)],
	['a text of 5 MB', () => kickoffWith({}, HUGE)],
	['a text of escapes', () => kickoffWith({}, '\n'.repeat(2.4 * MEGABYTE))],
	['millions of numbers', () => `{"inputs": {"topic": [${many(2_000_000, () => '0')}]}}`],
	['as many fields as are taken', () => `{"inputs": {${many(49_900, (at) => `"a${at}": ${at}`)}}}`],
	[
		'fields that nobody knows',
		() => `{"inputs": {"topic": "Tea"}, ${many(49_900, (at) => `"a${at}": ${at}`)}}`,
	],
	[
		'as many mistakes as are taken',
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
				taskWebhookUrl: NOWHERE,
				stepWebhookUrl: NOWHERE,
				crewWebhookUrl: NOWHERE,
			}),
	],
];
