import type { ExecutionRecord, Feedback, TaskRecord } from '../../executions/record';

/** A task as it is handed to whoever plays it; all texts are filled from the inputs. */
export interface Assignment {
	taskId: string;
	inputs: Readonly<Record<string, unknown>>;
	/** What people have said in this execution so far, oldest first. */
	feedback: readonly Feedback[];
	/** What the agent is told: the task, what was worked out before it, and what people said. */
	prompt: string;
}

export function assignmentOf(task: TaskRecord, execution: ExecutionRecord): Assignment {
	const { inputs, feedback } = execution;
	return { taskId: task.taskId, inputs, feedback, prompt: promptFor(task, execution) };
}

function promptFor(task: TaskRecord, { tasks, feedback }: ExecutionRecord): string {
	const parts = [`Current task: ${task.description}`, `Expected output: ${task.expectedOutput}`];
	for (const { taskId, output = '' } of tasks.slice(0, tasks.indexOf(task))) {
		parts.push(`Output of ${taskId}:\n${output}`);
	}
	for (const { taskId, isApprove, text, output } of feedback) {
		const verdict = isApprove ? 'approved' : 'rejected';
		if (taskId === task.taskId) parts.push(`Your earlier output:\n${output}`);
		parts.push(`A person has ${verdict} the output of ${taskId} and said:\n${text}`);
	}
	return parts.join('\n\n');
}
