import type { Feedback } from './record';

/** A task as it is handed to whoever works on it; all texts are filled from the inputs. */
export interface Assignment {
	taskId: string;
	description: string;
	expectedOutput: string;
	agent: string;
	inputs: Readonly<Record<string, unknown>>;
	/** Outputs of the tasks before it. */
	earlier: ReadonlyArray<{ taskId: string; output: string }>;
	/** What people have said in this execution so far, oldest first. */
	feedback: readonly Feedback[];
}

/** What the agent is told: the task, what was worked out before it, and what people said. */
export function promptFor(assignment: Assignment): string {
	const { description, expectedOutput, earlier, feedback, taskId } = assignment;
	const parts = [`Current task: ${description}`, `Expected output: ${expectedOutput}`];
	for (const { taskId: name, output } of earlier) parts.push(`Output of ${name}:\n${output}`);
	for (const { taskId: name, isApprove, text, output } of feedback) {
		const verdict = isApprove ? 'approved' : 'rejected';
		if (name === taskId) parts.push(`Your earlier output:\n${output}`);
		parts.push(`A person has ${verdict} the output of ${name} and said:\n${text}`);
	}
	return parts.join('\n\n');
}
