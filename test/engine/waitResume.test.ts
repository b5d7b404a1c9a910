import { waitInN8n } from '../support/waitInN8n';
import { idOf, WaitingCrew } from '../support/waitingCrew';

const NUMBERS = [0, 1];
const ANSWERED = NUMBERS.map((n) => ({
	kickoff_id: idOf(n),
	task_id: 'write',
	task_output: 'A draft',
}));

/** Resumes two executions of a crew that says this about each, and waits for some milliseconds. */
async function resumeAndAsk(
	status: Record<string, unknown>,
	forAtMost = 2_200,
	meanwhile = () => undefined as unknown,
) {
	const crew = new WaitingCrew();
	for (const n of NUMBERS) crew.answers.set(idOf(n), [200, status]);
	const parameters = {
		operation: 'resume',
		kickoffId: '={{ $json.kickoff_id }}',
		taskId: '={{ $json.task_id }}',
		decision: 'reject',
		humanFeedback: 'Shorter',
		options: { noticeBy: 'polling', pollInterval: 1 },
	};
	const { resumed } = await waitInN8n(
		{ parameters },
		{ items: ANSWERED, credential: { baseUrl: crew.baseUrl }, forAtMost, speed: 10, meanwhile },
	);
	return resumed;
}

const asking = (task_id: string, output: string) => ({
	status: 'pending_human_input',
	task_id,
	output,
});

describe('right after a resume', () => {
	it.each<[string, Record<string, unknown>]>([
		['the question that was just answered', asking('write', 'A draft')],
		['a question that does not say which', { status: 'pending_human_input' }],
	])('%s does not end the wait', async (_what, status) => {
		expect(await resumeAndAsk(status)).toBeUndefined();
	});

	it.each<[string, Record<string, unknown>, object]>([
		[
			'a question about another task',
			asking('check', 'A draft'),
			{ status: 'pending_human_input', task_id: 'check' },
		],
		[
			'a question about another draft',
			asking('write', 'A shorter draft'),
			{ status: 'pending_human_input', task_output: 'A shorter draft' },
		],
		[
			'the end',
			{ status: 'completed', result: { output: 'Bees' } },
			{ status: 'completed', output: 'Bees' },
		],
	])('%s ends the wait', async (_what, status, item) => {
		const resumed = await resumeAndAsk(status);
		expect(resumed?.json).toMatchObject(NUMBERS.map((n) => ({ kickoff_id: idOf(n), ...item })));
	});

	it('the same question counts as asked again once the status had time to catch up', async () => {
		const resumed = await resumeAndAsk(asking('write', 'A draft'), 10_000);
		expect(resumed?.json).toMatchObject(
			NUMBERS.map(() => ({ status: 'pending_human_input', task_id: 'write' })),
		);
	});

	it('the same question counts as asked again, even if the clock was set back meanwhile', async () => {
		const resumed = await resumeAndAsk(asking('write', 'A draft'), 10_000, () => {
			jest.setSystemTime(Date.now() - 3_600_000);
		});
		expect(resumed?.json).toMatchObject(
			NUMBERS.map(() => ({ status: 'pending_human_input', task_id: 'write' })),
		);
	});
});
