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

describe('items that all fail because the credential cannot be used', () => {
	const runAll = async (settings: CrewNode['settings']) =>
		await runCrew(
			{ parameters: OPERATIONS.kickoff, settings },
			{ items: itemsFrom(2), credential: { baseUrl: 'no address' } },
		);
	const error = expect.stringMatching(/^The base URL/) as string;
	const failed = [0, 1].map((item) => ({ json: { error }, pairedItem: { item } }));

	it.each([{ continueOnFail: true }, { onError: 'continueRegularOutput' as const }])(
		'come out with the error, not as they came in, with %j',
		async (settings) => {
			const { outputs } = await runAll(settings);
			expect(outputs).toMatchObject([failed]);
			expect(outputs[0]?.[0]?.json).not.toHaveProperty('inputs');
		},
	);

	it('come out at the error output', async () => {
		const { outputs } = await runAll({ onError: 'continueErrorOutput' });
		expect(outputs).toMatchObject([[], failed]);
	});
});

describe('items in parallel', () => {
	const COUNT = 40;
	/** Milliseconds in which a request beyond the limit would arrive. */
	const A_WHILE = 5;

	/** Answers this many requests together, and the last ones; counts how many are open. */
	function crewThatAnswersTogether(atOnce: number) {
		const baseUrl = newBaseUrl();
		const asked: number[] = [];
		const held: Array<() => void> = [];
		let underWay = 0;
		let most = 0;
		const answerAll = () => {
			for (const answer of held.splice(0)) answer();
		};
		nock(baseUrl)
			.persist()
			.post('/kickoff')
			.reply(async (_path, body) => {
				const { n } = inputsOf(body);
				asked.push(n);
				most = Math.max(most, ++underWay);
				if (underWay === atOnce || asked.length === COUNT) setTimeout(answerAll, A_WHILE);
				await new Promise<void>((resolve) => held.push(resolve));
				underWay--;
				return [200, { kickoff_id: `id-${n}` }];
			});
		return { baseUrl, most: () => most, asked };
	}

	it.each([
		['as many as chosen', { maxParallel: 3 }, 3],
		['one after the other', { maxParallel: 1 }, 1],
	])('are open at the same time: %s', async (_what, options, expected) => {
		const { baseUrl, most, asked } = crewThatAnswersTogether(expected);
		const { json, outputs } = await runCrew(
			{ parameters: { ...OPERATIONS.kickoff, options } },
			{ items: itemsFrom(COUNT), credential: { baseUrl } },
		);
		expect(most()).toBe(expected);
		expect(asked).toHaveLength(COUNT);
		expect(json.map(({ kickoff_id }) => kickoff_id)).toEqual(
			Array.from({ length: COUNT }, (_, n) => `id-${n}`),
		);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: COUNT }, (_, item) => ({ item })),
		);
	});

	it('no longer start once one was refused', async () => {
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
