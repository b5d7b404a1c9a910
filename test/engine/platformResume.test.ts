import { NOT_FOUND_MEANS } from '../../nodes/Crew/model/execution';
import { runCrew, type CrewNode, type EngineOptions } from '../support/engine';
import { stopTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { PlatformCrew } from '../support/platformCrew';
import { callTrigger } from '../support/triggerCall';
import { waitInN8n } from '../support/waitInN8n';

const RESUME = {
	operation: 'resume',
	kickoffId: '={{ $json.kickoff_id }}',
	taskId: '={{ $json.task_id }}',
	decision: 'reject',
	humanFeedback: 'Shorter',
	callbacks: 'none',
	wait: 'no',
};
const ASKED = { kickoff_id: 'run-0', task_id: 'a-task', task_output: 'A draft' };
const SENT = { executionId: 'run-0', taskId: 'a-task', humanFeedback: 'Shorter', isApprove: false };
const REFUSED = { execution_id: 'run-0', task_id: 'a-task' };

const RETRY: CrewNode['settings'] = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

async function resume(
	crew: PlatformCrew,
	options: EngineOptions = {},
	node: Partial<CrewNode> = {},
) {
	return await runCrew(
		{ parameters: RESUME, ...node },
		{ items: [ASKED], credential: { baseUrl: crew.baseUrl }, ...options },
	);
}

describe('a resume that the platform wants under other names', () => {
	it('is sent once more, and continues under the new ID', async () => {
		const crew = new PlatformCrew();
		const { json } = await resume(crew);
		expect(crew.resumes).toMatchObject([REFUSED, SENT]);
		expect(json).toEqual([
			{ kickoff_id: 'run-1', resumed_from: 'run-0', task_id: 'a-task', status: 'started' },
		]);
	});

	it('is right the first time later', async () => {
		const crew = new PlatformCrew();
		await resume(crew);
		await resume(crew);
		expect(crew.resumes).toMatchObject([REFUSED, SENT, SENT]);
	});

	it.each([
		['several of them at once', { maxParallel: 5 }, 1],
		['one after the other', { maxParallel: 1 }, 0],
	])('is learned once, at a new deployment: %s', async (_what, options, again) => {
		const crew = new PlatformCrew();
		const items = ['a', 'b'].map((kickoff_id) => ({ ...ASKED, kickoff_id }));
		const { json } = await resume(crew, { items }, { parameters: { ...RESUME, options } });
		const taken = crew.resumes.filter(({ executionId }) => executionId !== undefined);
		expect(taken.map(({ executionId }) => executionId).sort()).toEqual(['a', 'b']);
		expect(crew.resumes).toHaveLength(3 + again);
		expect(json.map(({ resumed_from }) => resumed_from)).toEqual(['a', 'b']);
	});

	it.each([
		['plain text', 'executionId: Field required'],
		['names of fields', { message: 'No', details: { missing_fields: ['taskId'] } }],
	])('is sent once more if it is asked for in %s', async (_what, refused) => {
		const crew = new PlatformCrew();
		crew.refused = refused;
		const { json } = await resume(crew);
		expect(crew.resumes).toMatchObject([REFUSED, SENT]);
		expect(json).toMatchObject([{ kickoff_id: 'run-1' }]);
	});

	it('follows the new ID in a loop', async () => {
		const crew = new PlatformCrew();
		const { json } = await resume(crew, { rounds: 3 });
		const ids = crew.resumes.slice(1).map(({ executionId }) => executionId);
		expect(ids).toEqual(['run-0', 'run-1', 'run-2']);
		expect(json).toMatchObject([{ kickoff_id: 'run-3', resumed_from: 'run-2' }]);
	});

	it('is sent once if it may have arrived, under Retry On Fail too', async () => {
		const crew = new PlatformCrew();
		crew.faults.push([500, 'Internal Server Error']);
		const { error } = await resume(crew, {}, { settings: RETRY });
		expect(crew.resumes).toMatchObject([REFUSED, SENT]);
		expect(error?.message).toBe('The crew’s server could not answer (HTTP 500)');
		expect(error?.description).toMatch(/^The crew may have been resumed all the same/);
	});

	it('keeps its new ID in each try of Retry On Fail', async () => {
		const crew = new PlatformCrew();
		const items = [{ ...ASKED, task_id: '' }, ASKED];
		const parameters = { ...RESUME, options: { maxParallel: 1 } };
		const settings = { ...RETRY, onError: 'continueRegularOutput' } as const;
		const { json } = await resume(crew, { items }, { parameters, settings });
		expect(crew.resumes).toHaveLength(2);
		expect(json).toMatchObject([
			{ error: 'Task ID is empty' },
			{ kickoff_id: 'run-1', resumed_from: 'run-0' },
		]);
	});
});

describe('a wait for a resume that continues under a new ID', () => {
	beforeEach(stopTime);
	afterEach(() => jest.useRealTimers());

	async function parkResume(crew: PlatformCrew) {
		const triggerUrl = 'https://n8n.example.com/webhook/1/webhook';
		const callbacks = { callbacks: 'trigger', triggerUrl, triggerEvents: ['task'] };
		const parameters = { ...RESUME, ...callbacks, wait: 'end' };
		const options = { items: [ASKED], credential: { baseUrl: crew.baseUrl } };
		return await ParkedExecution.park({ parameters }, options);
	}

	it('ends with the new one’s result, and the item has both IDs', async () => {
		const crew = new PlatformCrew();
		const parked = await parkResume(crew);
		const { crewWebhookUrl = '' } = crew.resumes[1]!;
		crew.complete('run-1');
		const { resumed } = await parked.call(crewWebhookUrl, { body: { kickoff_id: 'run-1' } });
		expect(resumed?.json).toMatchObject([
			{
				...{ kickoff_id: 'run-1', resumed_from: 'run-0', status: 'completed' },
				...{ output: 'The end of run-1', callbacks: { triggerEvents: ['task'] } },
			},
		]);
	});

	it.each([
		['both IDs', { kickoff_id: 'run-1', execution_id: 'run-1' }],
		['the new ID beside the very first', { kickoff_id: 'first', execution_id: 'run-1' }],
		['the ID of the execution that was resumed', { execution_id: 'run-0' }],
	])('ends with the next question, which comes to the bare URL with %s', async (_, ids) => {
		const crew = new PlatformCrew();
		const parked = await parkResume(crew);
		const { humanInputWebhookUrl = '' } = crew.resumes[1]!;
		crew.answers.clear();
		const question = { ...ids, task_id: 'b', task_output: 'B' };
		const { resumed } = await parked.call(humanInputWebhookUrl, {
			body: { ...question, meta: {} },
		});
		expect(resumed?.json).toMatchObject([
			{ kickoff_id: 'run-1', resumed_from: 'run-0', status: 'pending_human_input', task_id: 'b' },
		]);
	});
});

it('a wait for a resume ends as not found if nothing continues under the new ID', async () => {
	const crew = new PlatformCrew();
	crew.knowsNothing = true;
	const parameters = { ...RESUME, wait: 'end', options: { noticeBy: 'polling' } };
	const credential = { baseUrl: crew.baseUrl };
	const { resumed, begun, ended } = await waitInN8n({ parameters }, { items: [ASKED], credential });
	expect(resumed?.json).toEqual([
		{
			...{ kickoff_id: 'run-1', resumed_from: 'run-0', status: 'not_found' },
			...NOT_FOUND_MEANS,
		},
	]);
	expect(ended - begun).toBeGreaterThanOrEqual(30_000);
	expect(ended - begun).toBeLessThan(90_000);
});

it('a question that the platform sends to a Crew Trigger is answered with the IDs of its item', async () => {
	const crew = new PlatformCrew();
	const body = { kickoff_id: 'run-0', execution_id: 'run-0', task_id: 'a-task', task_output: 'A' };
	const { items } = await callTrigger({ body, query: { callback: 'human_input' } });
	await resume(crew, { items });
	expect(crew.resumes.at(-1)).toMatchObject(SENT);
});
