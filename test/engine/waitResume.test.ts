import { runCrew } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { idOf, WaitingCrew } from '../support/waitingCrew';

const NUMBERS = [0, 1];
const ANSWERED = NUMBERS.map((n) => ({
	kickoff_id: idOf(n),
	task_id: 'write',
	task_output: 'A draft',
}));

/** Resumes two executions, and looks for so many seconds at a crew that says this of each. */
async function resumeAndLook(status: Record<string, unknown>, lookTime: number) {
	const crew = new WaitingCrew();
	for (const n of NUMBERS) crew.answers.set(idOf(n), [200, status]);
	const parameters = {
		operation: 'resume',
		executionId: '={{ $json.kickoff_id }}',
		taskId: '={{ $json.task_id }}',
		isApprove: false,
		humanFeedback: 'Shorter',
		wait: 'callback',
		options: { lookTime },
	};
	return await inFastTime(
		async () =>
			await runCrew({ parameters }, { items: ANSWERED, credential: { baseUrl: crew.baseUrl } }),
	);
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
	])('%s is no end of the wait', async (_what, status) => {
		expect((await resumeAndLook(status, 2)).run.status).toBe('waiting');
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
		const { run, json } = await resumeAndLook(status, 2);
		expect(run.status).toBe('success');
		expect(json).toMatchObject(NUMBERS.map((n) => ({ kickoff_id: idOf(n), ...item })));
	});

	it('the same question counts as asked again once the status had time to follow', async () => {
		const { run, json } = await resumeAndLook(asking('write', 'A draft'), 4);
		expect(run.status).toBe('success');
		expect(json).toMatchObject(
			NUMBERS.map(() => ({ status: 'pending_human_input', task_id: 'write' })),
		);
	});
});
