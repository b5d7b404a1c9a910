import nock from 'nock';
import { newBaseUrl } from '../support/crewMock';
import { OPERATIONS } from '../support/crewOperations';
import { runCrew, type CrewNode } from '../support/engine';

const inputsOf = (body: nock.Body) => (body as unknown as { inputs: { n: number } }).inputs;
const itemsFrom = (length: number) => Array.from({ length }, (_, n) => ({ inputs: { n } }));

/** Refuses the inputs with an odd number, and starts the others. */
function crewThatRefusesOddNumbers(): string {
	const baseUrl = newBaseUrl();
	nock(baseUrl)
		.persist()
		.post('/kickoff')
		.reply((_path, body) =>
			inputsOf(body).n % 2 === 1
				? [422, { message: 'Odd', details: { missing_inputs: ['even'] } }]
				: [200, { kickoff_id: `id-${inputsOf(body).n}` }],
		);
	return baseUrl;
}

const started = (n: number) => ({
	json: { kickoff_id: `id-${n}`, status: 'started' },
	pairedItem: { item: n },
});

const run = async (settings: CrewNode['settings'], length = 4) =>
	await runCrew(
		{ parameters: OPERATIONS.kickoff, settings },
		{ items: itemsFrom(length), credential: { baseUrl: crewThatRefusesOddNumbers() } },
	);

describe('items of which some are refused', () => {
	it('stop the workflow at the first of them, by order', async () => {
		const { error, run: result } = await run({});
		expect(result.data.resultData.error).toBeDefined();
		expect(error).toMatchObject({
			message: 'Required inputs are missing: even',
			httpCode: '422',
			item: 1,
		});
	});

	it.each([
		['continueOnFail', { continueOnFail: true }],
		['onError: continueRegularOutput', { onError: 'continueRegularOutput' as const }],
	])('come out in their places with %s', async (_what, settings) => {
		const { outputs, error } = await run(settings);
		expect(error).toBeUndefined();
		expect(outputs).toHaveLength(1);
		expect(outputs[0]?.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual([
			started(0),
			{
				json: expect.objectContaining({ error: 'Required inputs are missing: even' }) as unknown,
				pairedItem: { item: 1 },
			},
			started(2),
			{
				json: expect.objectContaining({ error: 'Required inputs are missing: even' }) as unknown,
				pairedItem: { item: 3 },
			},
		]);
	});

	it('come out at the error output, the others at the first', async () => {
		const { outputs } = await run({ onError: 'continueErrorOutput' });
		expect(outputs[0]).toMatchObject([started(0), started(2)]);
		expect(outputs[1]).toMatchObject([
			{ json: { error: 'Required inputs are missing: even' }, pairedItem: { item: 1 } },
			{ json: { error: 'Required inputs are missing: even' }, pairedItem: { item: 3 } },
		]);
	});
});

describe('items in parallel', () => {
	/** Answers after a random while, and counts how many requests are under way. */
	function slowCrew(): { baseUrl: string; most: () => number; asked: number[] } {
		const baseUrl = newBaseUrl();
		const asked: number[] = [];
		let underWay = 0;
		let most = 0;
		nock(baseUrl)
			.persist()
			.post('/kickoff')
			.reply(async (_path, body) => {
				const { n } = inputsOf(body);
				asked.push(n);
				most = Math.max(most, ++underWay);
				await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 15));
				underWay--;
				return [200, { kickoff_id: `id-${n}` }];
			});
		return { baseUrl, most: () => most, asked };
	}

	it.each([
		['10 where nothing is chosen', {}, 10],
		['as many as chosen', { maxParallel: 3 }, 3],
		['one after the other', { maxParallel: 1 }, 1],
		['10 where the choice is no number above 0', { maxParallel: 0 }, 10],
	])('are under way: %s', async (_what, options, expected) => {
		const { baseUrl, most, asked } = slowCrew();
		const { json, outputs } = await runCrew(
			{ parameters: { ...OPERATIONS.kickoff, options } },
			{ items: itemsFrom(40), credential: { baseUrl } },
		);
		expect(most()).toBe(expected);
		expect(asked).toHaveLength(40);
		expect(json.map(({ kickoff_id }) => kickoff_id)).toEqual(
			Array.from({ length: 40 }, (_, n) => `id-${n}`),
		);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: 40 }, (_, item) => ({ item })),
		);
	});

	it('are not begun any more once one was refused', async () => {
		const baseUrl = newBaseUrl();
		let asked = 0;
		nock(baseUrl)
			.persist()
			.post('/kickoff')
			.reply(() => [++asked > 2 ? 401 : 200, { kickoff_id: `id-${asked}` }]);
		const { error } = await runCrew(
			{ parameters: { ...OPERATIONS.kickoff, options: { maxParallel: 1 } } },
			{ items: itemsFrom(20), credential: { baseUrl } },
		);
		expect(error?.item).toBe(2);
		expect(asked).toBe(3);
	});
});
