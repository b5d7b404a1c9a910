import { callTrigger } from '../support/triggerCall';

describe('the ID of a delivery', () => {
	async function deliveryIds(bodies: unknown[], query: Record<string, unknown> = {}) {
		const parameters = { events: [] };
		const outcomes = await Promise.all(
			bodies.map(async (body) => await callTrigger({ body, query, parameters })),
		);
		return outcomes.flatMap(({ items }) => items?.map(({ delivery_id: id }) => id));
	}

	it.each<[string, unknown, unknown]>([
		[
			'the order of names',
			{ result: 'a', meta: { x: 1, y: [{ p: 1, q: 2 }] } },
			{ meta: { y: [{ q: 2, p: 1 }], x: 1 }, result: 'a' },
		],
		['the way a number is written', '{"result":"a","n":1}', '{"n":1.0,"result":"a"}'],
	])('does not depend on %s', async (_what, first, second) => {
		const [one, two] = await deliveryIds([first, second]);
		expect(one).toMatch(/^[0-9a-f]{64}$/);
		expect(two).toBe(one);
	});

	it.each<[string, unknown, unknown]>([
		['another value', { result: 'a' }, { result: 'b' }],
		['another order of a list', { result: 'a', meta: [1, 2] }, { result: 'a', meta: [2, 1] }],
		['a text for a number', { result: 'a', meta: 1 }, { result: 'a', meta: '1' }],
		['another kickoff', { result: 'a', kickoff_id: 'x' }, { result: 'a', kickoff_id: 'y' }],
	])('is different for %s', async (_what, first, second) => {
		const [one, two] = await deliveryIds([first, second]);
		expect(two).not.toBe(one);
	});

	it.each([[''], [7], [null], [undefined]])(
		'is computed for an event whose ID is %j',
		async (id) => {
			const [one, two] = await deliveryIds([
				{ events: [{ id, type: 'task_started', data: {} }] },
				{ events: [{ id, type: 'task_started', data: {} }] },
			]);
			expect(one).toMatch(/^[0-9a-f]{64}$/);
			expect(two).toBe(one);
		},
	);
});
