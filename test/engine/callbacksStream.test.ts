import { callTrigger } from '../support/triggerCall';

const START = Date.parse('2025-01-01T00:00:00Z');

/** An event of the stream, a number of seconds after its start. */
const event = (id: string, seconds: number, more: object = {}) => ({
	id,
	execution_id: 'x',
	timestamp: new Date(START + seconds * 1000).toISOString(),
	type: 'task_started',
	data: {},
	...more,
});

async function idsOf(events: unknown[], options = {}, kinds: string[] = ['stream']) {
	const { items } = await callTrigger({ body: { events }, parameters: { events: kinds, options } });
	return items?.map(({ id }) => id);
}

describe('the events of the stream', () => {
	it.each<[string, object, string[] | undefined]>([
		['all where none is chosen', {}, ['a', 'b', 'c']],
		['the chosen types', { eventTypes: ['task_failed'] }, ['b']],
		['types of your own', { eventTypes: '={{ ["invoice_paid"] }}' }, ['c']],
		['types in a text', { eventTypes: '={{ " task_failed,\\ninvoice_paid " }}' }, ['b', 'c']],
		['all where an expression gives nothing', { eventTypes: '={{ null }}' }, ['a', 'b', 'c']],
		['none where no type is among them', { eventTypes: ['flow_started'] }, undefined],
	])('start the workflow: %s', async (_what, options, expected) => {
		const types = ['task_started', 'task_failed', 'invoice_paid'];
		const events = ['a', 'b', 'c'].map((id, n) => event(id, n, { type: types[n] }));
		expect(await idsOf(events, options)).toEqual(expected);
	});

	it('leave callbacks of other kinds alone when their types are chosen', async () => {
		const { items } = await callTrigger({
			body: { kickoff_id: 'x', result: 'Bees' },
			parameters: { events: ['crew'], options: { eventTypes: ['task_failed'] } },
		});
		expect(items).toHaveLength(1);
	});

	it.each<[string, unknown[], string[]]>([
		['by time', [event('b', 2), event('a', 1), event('c', 3)], ['a', 'b', 'c']],
		[
			'by time, in whatever way it is written',
			[
				event('d', 0, { timestamp: START / 1000 + 4 }),
				event('b', 0, { timestamp: START + 2000 }),
				event('a', 0, { timestamp: '2025-01-01T02:00:01+02:00' }),
				event('c', 3),
			],
			['a', 'b', 'c', 'd'],
		],
		['as they came at the same time', [event('b', 1), event('a', 1)], ['b', 'a']],
		[
			'by their numbers at the same time',
			[
				event('c', 1, { data: { emission_sequence: 11 } }),
				event('b', 1, { data: { emission_sequence: 2 } }),
				event('a', 0, { data: { emission_sequence: 12 } }),
			],
			['a', 'b', 'c'],
		],
		[
			'with those of an unknown time where they were',
			[
				event('z', 0, { timestamp: 'soon' }),
				event('b', 2),
				event('y', 0, { timestamp: null }),
				event('a', 1),
			],
			['z', 'a', 'y', 'b'],
		],
	])('come %s', async (_what, events, ids) => {
		expect(await idsOf(events)).toEqual(ids);
	});

	it('come as one item if Split Events is off', async () => {
		const { items } = await callTrigger({
			body: { events: [event('b', 2), event('a', 1)], meta: { customer: 42 } },
			parameters: { events: ['stream'], options: { splitEvents: false } },
		});
		expect(items).toEqual([
			expect.objectContaining({
				event: 'stream',
				kickoff_id: 'x',
				meta: { customer: 42 },
				events: [expect.objectContaining({ id: 'a' }), expect.objectContaining({ id: 'b' })],
			}),
		]);
	});

	it('are 10,000 in one request, and taken in well under a second', async () => {
		const events = Array.from({ length: 10_000 }, (_, n) => event(String(n), 10_000 - n));
		// Processor time, so that other work on the machine does not count.
		const begun = process.cpuUsage();
		const { items } = await callTrigger({ body: { events }, parameters: { events: ['stream'] } });
		expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
		expect(items).toHaveLength(10_000);
		expect(items?.[0]?.id).toBe('9999');
	});
});
