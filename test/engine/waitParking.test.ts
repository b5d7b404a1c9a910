import { WAIT_INDEFINITELY } from 'n8n-workflow';
import { N8N_URL, type CrewNode } from '../support/engine';
import { inFastTime, stopTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { waitInN8n } from '../support/waitInN8n';
import { idOf, numbered, POLLED, WAIT, WaitingCrew } from '../support/waitingCrew';

type Parameters = CrewNode['parameters'];

const RESUME = {
	operation: 'resume',
	kickoffId: idOf(0),
	taskId: 'write',
	decision: 'approve',
	humanFeedback: '',
};

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Our path below n8n's signed resume URL, marked for one kind of callback and one item. */
const wakingUrl = (kind: string, item: number) =>
	expect.stringMatching(
		new RegExp(
			`^${N8N_URL}/webhook-waiting/execution-1/crew\\?signature=[\\w-]+&callback=${kind}&wait=${UUID}&item=${item}$`,
		),
	) as string;

/** What a request must contain so that the crew wakes the execution for one item. */
const waking = (item: number) => ({
	crewWebhookUrl: wakingUrl('crew', item),
	humanInputWebhook: { url: wakingUrl('human_input', item) },
	humanInputWebhookUrl: wakingUrl('human_input', item),
});

const failureEvents = (item: number) => ({
	webhooks: { events: ['crew_kickoff_failed'], url: wakingUrl('stream', item), realtime: true },
});

describe('the crew gets URLs that wake the parked execution', () => {
	beforeEach(stopTime);
	afterEach(() => jest.useRealTimers());

	it.each<[string, Parameters, (crew: WaitingCrew) => unknown, typeof waking]>([
		[
			'by Kickoff, of its failure too',
			WAIT,
			({ kickoffs }) => kickoffs,
			(item) => ({ ...waking(item), ...failureEvents(item) }),
		],
		['by Resume', RESUME, ({ resumes }) => resumes, waking],
	])('%s, for each item', async (_what, parameters, sentTo, fields) => {
		const crew = new WaitingCrew();
		await ParkedExecution.park(
			{ parameters },
			{ items: numbered(2), credential: { baseUrl: crew.baseUrl } },
		);
		expect(sentTo(crew)).toEqual([
			expect.objectContaining(fields(0)),
			expect.objectContaining(fields(1)),
		]);
		if (parameters === RESUME) expect(crew.resumes[0]).not.toHaveProperty('webhooks');
	});

	it('but not through the stream if Subscribe to Failures is off', async () => {
		const crew = new WaitingCrew();
		const options = { ...WAIT.options, failureEvents: false };
		await ParkedExecution.park(
			{ parameters: { ...WAIT, options } },
			{ credential: { baseUrl: crew.baseUrl } },
		);
		expect(crew.kickoffs).toEqual([{ inputs: { n: 0 }, ...waking(0) }]);
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
		// n8n itself ends the wait only if nothing else has.
		expect(parked.waitTill.getTime() - Date.now()).toBe(milliseconds + 161_000);
	});

	it.each<[string, Parameters]>([
		['the limit is off', { limitWaitTime: false }],
		['it is further off than any date', { resumeAmount: 1e15, resumeUnit: 'days' }],
	])('is n8n’s end of time where %s', async (_what, limit) => {
		expect((await parkWith(limit)).waitTill).toEqual(WAIT_INDEFINITELY);
	});

	async function parkWith(limit: Parameters): Promise<ParkedExecution> {
		const { baseUrl } = new WaitingCrew();
		const parameters = { ...WAIT, ...limit };
		return await ParkedExecution.park({ parameters }, { credential: { baseUrl } });
	}
});

it('a limit that is switched off means a day if nothing but this process notices the end', async () => {
	const { parked } = await waitInN8n(
		{ parameters: { ...POLLED, limitWaitTime: false } },
		{ forAtMost: 1_000, credential: { baseUrl: new WaitingCrew().baseUrl } },
	);
	const limit = parked!.waitTill.getTime() - Date.now();
	expect(Math.abs(limit - 86_400_000 - 161_000)).toBeLessThan(10_000);
});

describe('when the time is up', () => {
	const ITEMS = numbered(4);

	/** Four items of Get Status: running, completed before, refused, running. */
	async function parkFour(settings: CrewNode['settings']) {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(2), [400, {}]);
		crew.complete(1);
		const parameters = { operation: 'getStatus', kickoffId: '=id-{{ $json.n }}', wait: 'end' };
		const { parked } = await waitInN8n(
			{ parameters, settings },
			{ items: ITEMS, credential: { baseUrl: crew.baseUrl }, forAtMost: 500, speed: 10 },
		);
		return parked!;
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
		json: expect.objectContaining({ error: 'The crew did not accept the kickoff ID' }) as unknown,
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

	it('and until then n8n shows what it waits for', async () => {
		const { shown } = await parkFour({ onError: 'continueRegularOutput', retryOnFail: true });
		expect(shown.json).toEqual([
			{ kickoff_id: idOf(0), status: 'running' },
			{ kickoff_id: idOf(3), status: 'running' },
		]);
	});
});

describe('with Retry On Fail and Continue On Error, an item whose kickoff fails', () => {
	it.each([
		['is tried again, and waited for with the others', 2, 3, [0, 1, 2]],
		['is left alone after the last try, and the others are waited for', 9, 3, [1, 2]],
		['is tried as often as n8n tries at most', 9, 99, [1, 2]],
	])('%s', async (_, refusals, maxTries, waiting) => {
		const crew = new WaitingCrew();
		crew.refusals.set(0, refusals);
		const settings = { retryOnFail: true, maxTries, waitBetweenTries: 1 };
		const node = {
			parameters: WAIT,
			settings: { ...settings, onError: 'continueRegularOutput' as const },
		};
		const options = { items: numbered(3), credential: { baseUrl: crew.baseUrl } };
		const { shown } = await inFastTime(async () => await ParkedExecution.park(node, options));
		expect(shown.json.map(({ kickoff_id }) => kickoff_id)).toEqual(waiting.map(idOf));
		expect(crew.kickoffs).toHaveLength(2 + Math.min(maxTries, refusals + 1, 5));
	});
});

describe('in no time', () => {
	beforeEach(stopTime);
	afterEach(() => jest.useRealTimers());

	it('executions start to wait, without asking for their status', async () => {
		const crew = new WaitingCrew();
		await ParkedExecution.park(
			{ parameters: WAIT },
			{ items: numbered(3), credential: { baseUrl: crew.baseUrl } },
		);
		expect(crew.asked).toEqual([]);
	});

	it('the wait is stored as one text, however many items it has', async () => {
		const crew = new WaitingCrew();
		const { shown } = await ParkedExecution.park(
			{ parameters: WAIT },
			{ items: numbered(50), credential: { baseUrl: crew.baseUrl } },
		);
		const { contextData = {} } = shown.run.data.executionData ?? {};
		const stored = Object.values(contextData['node:Crew'] ?? {});
		expect(stored).toEqual([expect.any(String)]);
		expect(stored[0]).not.toContain('organisation-token');
	});

	describe('with Execute Once, the node waits only for the first item, which alone comes out', () => {
		const parkFirst = async (crew: WaitingCrew) =>
			await ParkedExecution.park(
				{ parameters: WAIT, settings: { executeOnce: true } },
				{ items: numbered(3), credential: { baseUrl: crew.baseUrl } },
			);

		it('when the crew calls back', async () => {
			const crew = new WaitingCrew();
			const parked = await parkFirst(crew);
			crew.complete(0);
			const { resumed } = await parked.call(crew.urls().crew, { body: { result: 'Bees' } });
			expect(crew.kickoffs).toHaveLength(1);
			expect(resumed?.json).toMatchObject([{ kickoff_id: idOf(0), output: 'Text 0' }]);
		});

		it('when n8n ends the wait', async () => {
			const parked = await parkFirst(new WaitingCrew());
			const { json } = await parked.timeIsUp();
			expect(json).toEqual([{ kickoff_id: idOf(0), status: 'timed_out' }]);
		});
	});
});
