import { truncate } from '../../domain/excerpt';
import type { Execution, Question, Task } from '../../domain/execution';

/** The most characters of a played text, so that megabytes from a client are not copied again and again. */
const PLAYED = 50_000;

/** What a person has said about a task's output. */
export interface Feedback {
	taskId: string;
	text: string;
	isApprove: boolean;
	/** The output that it is about. */
	output: string;
}

/** A task as the engine plays it, with all texts filled in from the inputs. */
export interface Assignment {
	taskId: string;
	inputs: Readonly<Record<string, unknown>>;
	/** The feedback of people in this execution, oldest first. */
	feedback: readonly Feedback[];
	/** The agent's prompt: the task, earlier outputs, and people's feedback; long texts are shortened. */
	prompt: string;
}

export function beginningOf(text: string): string {
	return truncate(text, PLAYED);
}

export function assignmentOf(task: Task, { inputs, tasks, questions }: Execution): Assignment {
	const feedback = questions.flatMap(feedbackOf);
	const before = tasks.slice(
		0,
		tasks.findIndex(({ taskId }) => taskId === task.taskId),
	);
	return { taskId: task.taskId, inputs, feedback, prompt: promptFor(task, before, feedback) };
}

function feedbackOf({ taskId, output, answer }: Question): Feedback[] {
	if (!answer) return [];
	return [{ taskId, text: answer.feedback, isApprove: answer.isApprove, output }];
}

function promptFor(task: Task, before: readonly Task[], feedback: readonly Feedback[]): string {
	const parts = [`Current task: ${task.description}`, `Expected output: ${task.expectedOutput}`];
	for (const { taskId, output = '' } of before) parts.push(`Output of ${taskId}:\n${output}`);
	for (const { taskId, isApprove, text, output } of feedback) {
		const verdict = isApprove ? 'approved' : 'rejected';
		if (taskId === task.taskId) parts.push(`Your earlier output:\n${output}`);
		parts.push(`A person has ${verdict} the output of ${taskId} and said:\n${text}`);
	}
	return parts.map(beginningOf).join('\n\n');
}
