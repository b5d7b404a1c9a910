import { NOT_FOUND_MEANS } from '../../nodes/Crew/model/execution';
import { runCrew, type CrewNode, type EngineOptions } from '../support/engine';
import { inFastTime, VERY_FAST } from '../support/fastTime';
import { HOLD, idOf, numbered, WAIT, WaitingCrew } from '../support/waitingCrew';

const POLL = { ...HOLD, resumeAmount: 2, resumeUnit: 'minutes' };

/** How late the clock of these tests may be. */
const LATE = 1_000;

async function poll(crew: WaitingCrew, node: Partial<CrewNode> = {}, options: EngineOptions = {}) {
	const credential = { baseUrl: crew.baseUrl };
	return await inFastTime(
		async () => await runCrew({ parameters: POLL, ...node }, { credential, ...options }),
		VERY_FAST,
	);
}

/** Temporary answers of a deployment whose crew completes anyway. */
const PASSING_FAULTS: Array<[string, readonly [number, unknown?]]> = [
	['500', [500]],
	['429', [429]],
	['a page of a proxy', [502, '<html></html>']],
	['404 right after the kickoff', [404, { detail: 'Not found' }]],
	['the word for it', [200, { state: 'NOT FOUND' }]],
];

const withOptions = (options: object) => ({
	parameters: { ...POLL, options: { ...POLL.options, ...options } },
});

/** Milliseconds between the checks of the first crew's status. */
function pausesOf({ askedAt }: WaitingCrew): number[] {
	return askedAt.slice(1).map((time, index) => time - askedAt[index]!);
}

describe('an execution that is kept running', () => {
	it('asks until the crew has ended', async () => {
		const crew = new WaitingCrew();
		crew.completeAfter(0, 3);
		const { json, run } = await poll(crew);
		expect(run.status).toBe('success');
		expect(json).toEqual([{ kickoff_id: idOf(0), status: 'completed', output: 'Text 0' }]);
		expect(crew.asked).toHaveLength(4);
	});

	it('gives the crew no callback URL', async () => {
		const crew = new WaitingCrew();
		crew.complete(0);
		await poll(crew);
		expect(crew.kickoffs).toEqual([{ inputs: { n: 0 } }]);
	});

	it.each<[string, unknown, object]>([
		['failed', { state: 'FAILURE', result: 'No bees' }, { status: 'failed', error: 'No bees' }],
		['stopped', { state: 'REVOKED' }, { status: 'stopped' }],
		[
			'asking a person',
			{ status: 'pending_human_input', task_id: 'write', output: 'A draft' },
			{ status: 'pending_human_input', task_id: 'write', task_output: 'A draft' },
		],
	])('ends with a crew that is %s', async (_what, answer, item) => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [200, answer]);
		const { json } = await poll(crew);
		expect(json).toEqual([{ kickoff_id: idOf(0), ...item }]);
	});

	it('waits as long as the server asks for', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [429, {}, { 'Retry-After': '40' }]);
		await poll(crew);
		expect(pausesOf(crew)[0]).toBeGreaterThanOrEqual(40_000);
	});

	it('asks again after ten minutes if the server asks for two months', async () => {
		const crew = new WaitingCrew();
		const twoMonths = { 'Retry-After': String(60 * 24 * 3_600) };
		crew.completeAfter(0, 1, [503, {}, twoMonths]);
		const { json } = await poll(crew, { parameters: { ...POLL, limitWaitTime: false } });
		expect(json).toMatchObject([{ status: 'completed' }]);
		expect(Math.abs(pausesOf(crew)[0]! - 600_000)).toBeLessThan(LATE);
	});

	it.each(PASSING_FAULTS)('survives %s', async (_what, answer) => {
		const crew = new WaitingCrew();
		crew.completeAfter(0, 2, answer);
		const { json } = await poll(crew);
		expect(json).toMatchObject([{ status: 'completed' }]);
	});

	it('asks for many up to Max Parallel Requests at once, until it finds one that is still running', async () => {
		const crew = new WaitingCrew();
		crew.statusDelay = 100;
		for (let n = 0; n < 10; n++) crew.completeAfter(n, n === 9 ? 2 : 0);
		const { json } = await poll(crew, withOptions({ maxParallel: 3 }), { items: numbered(10) });
		expect(json.map(({ kickoff_id: id }) => id)).toEqual(numbered(10).map(({ n }) => idOf(n)));
		expect(json.every(({ status }) => status === 'completed')).toBe(true);
		expect(crew.asked).toHaveLength(12);
		expect(crew.mostAtOnce).toBe(3);
	});
});

describe('a status that cannot be read', () => {
	const NO_TOKEN = [401, { detail: 'No' }] as const;

	it('ends the wait with an error that names the execution', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(1), NO_TOKEN);
		crew.complete(0);
		const { error } = await poll(crew, {}, { items: numbered(2) });
		expect(error).toMatchObject({
			message: 'The crew did not accept the access token (kickoff_id id-1)',
			httpCode: '401',
			item: 1,
		});
		// Three times, since a gateway may refuse once.
		expect(crew.asked.filter((id) => id === idOf(1))).toHaveLength(3);
	});

	it('does not end any wait if it is temporary', async () => {
		const crew = new WaitingCrew();
		crew.completeAfter(0, 1, NO_TOKEN);
		crew.completeAfter(1, 3);
		const { json } = await poll(crew, {}, { items: numbered(2) });
		expect(json).toMatchObject([{ output: 'Text 0' }, { output: 'Text 1' }]);
	});

	it('comes out with its ID next to the others if the node continues', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), NO_TOKEN);
		crew.complete(1);
		const settings = { onError: 'continueRegularOutput' as const };
		const { json } = await poll(crew, { settings }, { items: numbered(2) });
		expect(json).toEqual([
			{
				error: 'The crew did not accept the access token (kickoff_id id-0)',
				details: expect.stringContaining('Copy the token from the Status tab') as unknown,
				kickoff_id: idOf(0),
			},
			{ kickoff_id: idOf(1), status: 'completed', output: 'Text 1' },
		]);
	});

	it('goes to the error output with its ID', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), NO_TOKEN);
		const settings = { onError: 'continueErrorOutput' as const };
		const { outputs } = await poll(crew, { settings });
		expect(outputs[0]).toEqual([]);
		expect(outputs[1]?.[0]?.json).toEqual({
			error: 'The crew did not accept the access token (kickoff_id id-0)',
		});
	});
});

describe('the time limit', () => {
	it('ends the wait: what has ended keeps its result, the others are timed out', async () => {
		const crew = new WaitingCrew();
		crew.complete(1);
		const parameters = { ...POLL, resumeAmount: 20, resumeUnit: 'seconds' };
		const taken = await inFastTime(async () => {
			const begun = Date.now();
			const { json } = await runCrew(
				{ parameters },
				{ items: numbered(2), credential: { baseUrl: crew.baseUrl } },
			);
			return { json, milliseconds: Date.now() - begun };
		});
		expect(taken.json).toEqual([
			{ kickoff_id: idOf(0), status: 'timed_out' },
			{ kickoff_id: idOf(1), status: 'completed', output: 'Text 1' },
		]);
		expect(Math.abs(taken.milliseconds - 20_000)).toBeLessThan(5_000 + LATE);
	});
});

it('an execution that is kept running is not run again for a status that answers 5xx to the limit', async () => {
	const crew = new WaitingCrew();
	crew.answers.set(idOf(0), [500, 'Internal Server Error']);
	const parameters = { ...POLL, resumeAmount: 20, resumeUnit: 'seconds' };
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const { json } = await poll(crew, { parameters, settings });
	expect(json).toEqual([{ kickoff_id: idOf(0), status: 'timed_out' }]);
	expect(crew.askedAt.at(-1)! - crew.askedAt[0]!).toBeLessThan(50_000);
});

describe('Get Status', () => {
	const GET_STATUS = { ...POLL, operation: 'getStatus', kickoffId: '=id-{{ $json.n ?? 0 }}' };

	it('asks until all have ended, those that had ended already once', async () => {
		const crew = new WaitingCrew();
		crew.completeAfter(0, 6);
		crew.complete(1);
		const { json, run } = await poll(crew, { parameters: GET_STATUS }, { items: numbered(2) });
		expect(run.status).toBe('success');
		expect(json).toEqual([
			{ kickoff_id: idOf(0), status: 'completed', output: 'Text 0' },
			{ kickoff_id: idOf(1), status: 'completed', output: 'Text 1' },
		]);
		expect(crew.asked.filter((id) => id === idOf(1))).toHaveLength(1);
	});

	it.each(PASSING_FAULTS)('waits if its very first answer is %s', async (_what, answer) => {
		const crew = new WaitingCrew();
		crew.completeAfter(0, 2, answer);
		const { json } = await poll(crew, { parameters: GET_STATUS });
		expect(json).toEqual([{ kickoff_id: idOf(0), status: 'completed', output: 'Text 0' }]);
	});

	it('does not wait for an execution that is still unknown ten seconds later', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [404, { detail: 'Not found' }]);
		const { json } = await poll(crew, { parameters: GET_STATUS });
		expect(json).toEqual([{ kickoff_id: idOf(0), status: 'not_found', ...NOT_FOUND_MEANS }]);
		const asked = crew.askedAt.at(-1)! - crew.askedAt[0]!;
		expect(asked).toBeGreaterThanOrEqual(10_000);
		expect(asked).toBeLessThan(60_000);
	});

	it('does not wait if the crew refuses the access token', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [401, {}]);
		const { error } = await poll(crew, { parameters: GET_STATUS });
		expect(error?.message).toMatch(/access token/i);
		expect(crew.asked).toHaveLength(1);
	});

	it('returns the current status at once without waiting', async () => {
		const crew = new WaitingCrew();
		const { json } = await poll(crew, { parameters: { ...GET_STATUS, wait: 'no' } });
		expect(json).toEqual([{ kickoff_id: idOf(0), status: 'running' }]);
	});
});

describe('an AI agent’s tool', () => {
	it('is kept running, since its execution cannot wait', async () => {
		const crew = new WaitingCrew();
		crew.completeAfter(0, 1);
		const { json, run } = await poll(crew, {
			type: 'n8n-nodes-crew.crewTool',
			parameters: WAIT,
		});
		expect(run.status).toBe('success');
		expect(json).toMatchObject([{ status: 'completed' }]);
		expect(crew.kickoffs).toEqual([{ inputs: { n: 0 } }]);
	});
});
