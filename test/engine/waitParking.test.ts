import { WAIT_INDEFINITELY } from 'n8n-workflow';
import { N8N_URL, runCrew, type CrewNode } from '../support/engine';
import { inFastTime, stopTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { idOf, numbered, WAIT_FOR_CALLBACK, WaitingCrew } from '../support/waitingCrew';

type Parameters = CrewNode['parameters'];

const RESUME = {
	operation: 'resume',
	executionId: idOf(0),
	taskId: 'write',
	isApprove: true,
	humanFeedback: '',
	wait: 'callback',
	options: { lookTime: 0 },
};

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Our path below n8n's signed resume URL, marked for one kind of callback and one item. */
const wakingUrl = (kind: string, item: number) =>
	expect.stringMatching(
		new RegExp(
			`^${N8N_URL}/webhook-waiting/execution-1/crew\\?signature=[\\w-]+&callback=${kind}&wait=${UUID}&item=${item}$`,
		),
	) as string;

/** What a request is to carry so that the crew wakes the execution for one item. */
const waking = (item: number) => ({
	crewWebhookUrl: wakingUrl('crew', item),
	humanInputWebhook: { url: wakingUrl('human_input', item) },
	webhooks: {
		events: ['crew_kickoff_completed', 'crew_kickoff_failed'],
		url: wakingUrl('stream', item),
		realtime: true,
	},
});

describe('the crew is told to call the parked execution', () => {
	beforeEach(stopTime);
	afterEach(() => jest.useRealTimers());

	it.each<[string, Parameters, (crew: WaitingCrew) => unknown]>([
		['by Kickoff', WAIT_FOR_CALLBACK, ({ kickoffs }) => kickoffs],
		['by Resume', RESUME, ({ resumes }) => resumes],
	])('%s, for each item', async (_what, parameters, sentTo) => {
		const crew = new WaitingCrew();
		await ParkedExecution.park(
			{ parameters },
			{ items: numbered(2), credential: { baseUrl: crew.baseUrl } },
		);
		expect(sentTo(crew)).toEqual([
			expect.objectContaining(waking(0)),
			expect.objectContaining(waking(1)),
		]);
	});

	it('but not through the stream where Failure Events is off', async () => {
		const crew = new WaitingCrew();
		const options = { ...WAIT_FOR_CALLBACK.options, failureEvents: false };
		await ParkedExecution.park(
			{ parameters: { ...WAIT_FOR_CALLBACK, options } },
			{ credential: { baseUrl: crew.baseUrl } },
		);
		const { crewWebhookUrl, humanInputWebhook } = waking(0);
		expect(crew.kickoffs).toEqual([{ inputs: { n: 0 }, crewWebhookUrl, humanInputWebhook }]);
	});
});

describe('the time limit', () => {
	beforeEach(stopTime);
	afterEach(() => jest.useRealTimers());

	it.each<[string, Parameters, number]>([
		['an hour where nothing is chosen', {}, 3_600_000],
		['30 seconds', { resumeAmount: 30, resumeUnit: 'seconds' }, 30_000],
		['half a minute', { resumeAmount: 0.5, resumeUnit: 'minutes' }, 30_000],
		['two hours', { resumeAmount: 2, resumeUnit: 'hours' }, 7_200_000],
		['three days', { resumeAmount: 3, resumeUnit: 'days' }, 259_200_000],
		['an hour where the amount is no number', { resumeAmount: 'many' }, 3_600_000],
		['an hour where the amount is empty', { resumeAmount: '={{ "" }}' }, 3_600_000],
		['an hour where there is no amount', { resumeAmount: '={{ $json.nothing }}' }, 3_600_000],
		['an hour where the amount is null', { resumeAmount: '={{ null }}' }, 3_600_000],
		['an hour where there is no such unit', { resumeUnit: '={{ "constructor" }}' }, 3_600_000],
		['half an hour where text says so', { resumeAmount: '={{ "0.5" }}' }, 1_800_000],
	])('is %s', async (_what, limit, milliseconds) => {
		const parked = await parkWith(limit);
		expect(parked.waitTill.getTime() - Date.now()).toBe(milliseconds);
	});

	it.each<[string, Parameters]>([
		['the limit is off', { limitWaitTime: false }],
		['it is further off than any date', { resumeAmount: 1e15, resumeUnit: 'days' }],
	])('is n8n’s end of time where %s', async (_what, limit) => {
		expect((await parkWith(limit)).waitTill).toEqual(WAIT_INDEFINITELY);
	});

	async function parkWith(limit: Parameters): Promise<ParkedExecution> {
		const { baseUrl } = new WaitingCrew();
		const parameters = { ...WAIT_FOR_CALLBACK, ...limit };
		return await ParkedExecution.park({ parameters }, { credential: { baseUrl } });
	}
});

it('a time limit that is shorter than the look ends the wait without parking', async () => {
	const { baseUrl } = new WaitingCrew();
	const limit = { resumeAmount: 2, resumeUnit: 'seconds', options: {} };
	const parameters = { ...WAIT_FOR_CALLBACK, ...limit };
	const { run, json, waited } = await inFastTime(async () => {
		const begun = Date.now();
		const ran = await runCrew({ parameters }, { credential: { baseUrl } });
		return { ...ran, waited: Date.now() - begun };
	});
	expect(run.status).toBe('success');
	expect(json).toEqual([{ kickoff_id: idOf(0), status: 'timed_out' }]);
	expect(waited).toBeGreaterThanOrEqual(2_000);
	expect(waited).toBeLessThan(3_000);
});

describe('when the time is up', () => {
	const ITEMS = numbered(4);

	/** Four items: under way, completed before parking, refused, under way. */
	async function parkFour(settings: CrewNode['settings']) {
		const crew = new WaitingCrew();
		crew.refusals.set(2, 1);
		crew.complete(1);
		const parameters = { ...WAIT_FOR_CALLBACK, options: { n8nMeta: false, lookTime: 1 } };
		return await inFastTime(
			async () =>
				await ParkedExecution.park(
					{ parameters, settings },
					{ items: ITEMS, credential: { baseUrl: crew.baseUrl } },
				),
		);
	}

	const timedOut = (n: number) => ({
		json: { kickoff_id: idOf(n), status: 'timed_out' },
		pairedItem: { item: n },
	});
	const completed = {
		json: { kickoff_id: idOf(1), status: 'completed', output: 'Text 1' },
		pairedItem: { item: 1 },
	};
	const refused = {
		json: expect.objectContaining({ error: 'The crew did not accept the values' }) as unknown,
		pairedItem: { item: 2 },
	};

	it('each item comes out in its place: ended, refused or timed out', async () => {
		const parked = await parkFour({ onError: 'continueRegularOutput' });
		const { run, outputs } = await parked.timeIsUp();
		expect(run.status).toBe('success');
		expect(outputs[0]).toEqual(
			[timedOut(0), completed, refused, timedOut(3)].map(
				(item) => expect.objectContaining(item) as unknown,
			),
		);
	});

	it('refused items come out at the error output', async () => {
		const parked = await parkFour({ onError: 'continueErrorOutput' });
		const { outputs } = await parked.timeIsUp();
		expect(outputs[0]).toMatchObject([timedOut(0), completed, timedOut(3)]);
		expect(outputs[1]).toMatchObject([refused]);
	});

	it('the output of the node before is what it was', async () => {
		const parked = await parkFour({ onError: 'continueRegularOutput' });
		const { run } = await parked.timeIsUp();
		const [start] = run.data.resultData.runData.Start!;
		expect(start?.data?.main?.[0]?.map(({ json }) => json)).toEqual(ITEMS);
	});

	it('and until then n8n shows what is waited for', async () => {
		const { shown } = await parkFour({ onError: 'continueRegularOutput', retryOnFail: true });
		expect(shown.json).toEqual([
			{ kickoff_id: idOf(0), status: 'running' },
			{ kickoff_id: idOf(3), status: 'running' },
		]);
	});
});

describe('the look before parking, at several executions', () => {
	const LOOK = { ...WAIT_FOR_CALLBACK, options: { n8nMeta: false } };

	it('gives the results of quick crews without parking', async () => {
		const crew = new WaitingCrew();
		crew.complete(0, 1);
		const { run, json } = await inFastTime(
			async () =>
				await runCrew(
					{ parameters: LOOK },
					{ items: numbered(2), credential: { baseUrl: crew.baseUrl } },
				),
		);
		expect(run.status).toBe('success');
		expect(json).toEqual(
			[0, 1].map((n) => ({ kickoff_id: idOf(n), status: 'completed', output: `Text ${n}` })),
		);
		expect(crew.asked).toHaveLength(2);
	});

	it.each<[string, number | undefined, number, number]>([
		['3 seconds where nothing is chosen', undefined, 3_000, 3],
		['as long as chosen', 8, 8_000, 3],
		['half a second', 0.5, 500, 2],
		['no time', 0, 0, 0],
		['30 seconds at most', 90, 30_000, 3],
	])('takes %s', async (_what, lookTime, milliseconds, questions) => {
		const crew = new WaitingCrew();
		const options = { n8nMeta: false, ...(lookTime === undefined ? {} : { lookTime }) };
		const pauses = await inFastTime(async () => {
			const begun = Date.now();
			await ParkedExecution.park(
				{ parameters: { ...LOOK, options } },
				{ items: numbered(2), credential: { baseUrl: crew.baseUrl } },
			);
			return Date.now() - begun;
		});
		expect(pauses).toBeGreaterThanOrEqual(milliseconds);
		expect(pauses).toBeLessThan(milliseconds + 2_000);
		expect(crew.asked).toHaveLength(questions);
	});

	it('does not outlast its time by much where the crew does not answer', async () => {
		const crew = new WaitingCrew();
		crew.statusDelay = 60_000;
		const waited = await inFastTime(async () => {
			const begun = Date.now();
			await ParkedExecution.park(
				{ parameters: { ...LOOK, options: { n8nMeta: false, maxParallel: 2 } } },
				{ items: numbered(40), credential: { baseUrl: crew.baseUrl } },
			);
			return Date.now() - begun;
		});
		expect(waited).toBeLessThan(20_000);
	});
});

describe('in no time', () => {
	beforeEach(stopTime);
	afterEach(() => jest.useRealTimers());

	it('a single execution is parked, without a look', async () => {
		const crew = new WaitingCrew();
		const parameters = { ...WAIT_FOR_CALLBACK, options: {} };
		await ParkedExecution.park({ parameters }, { credential: { baseUrl: crew.baseUrl } });
		expect(crew.asked).toEqual([]);
	});

	it('with Execute Once only the first item is waited for and comes out', async () => {
		const crew = new WaitingCrew();
		const parked = await ParkedExecution.park(
			{ parameters: WAIT_FOR_CALLBACK, settings: { executeOnce: true } },
			{ items: numbered(3), credential: { baseUrl: crew.baseUrl } },
		);
		const { resumed } = await parked.call(crew.urls().crew, { body: { result: 'Bees' } });
		expect(crew.kickoffs).toHaveLength(1);
		expect(resumed?.json).toMatchObject([{ kickoff_id: idOf(0), output: 'Bees' }]);
	});
});
