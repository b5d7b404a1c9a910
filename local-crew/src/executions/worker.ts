import type { CrewTask } from '../crew/definition';
import type { Assignment } from './prompt';
import type { Step, TokenUsage } from './record';

export interface WorkConditions {
	/** Aborted where the execution is stopped or the deployment closes. */
	signal: AbortSignal;
	/** Tells of each thought or action as it happens. */
	onStep: (step: Step) => void;
}

export interface WorkResult {
	output: string;
	tokenUsage: TokenUsage;
}

/** Works on tasks, one call per try. A task that cannot be done rejects with a {@link TaskFailure}. */
export interface Worker {
	work(task: CrewTask, assignment: Assignment, conditions: WorkConditions): Promise<WorkResult>;
}

/** A task did not come to an output; the message is shown to clients as the execution's error. */
export class TaskFailure extends Error {
	override readonly name = 'TaskFailure';
}

/**
 * Refuses an output before it is kept, sent, or even made.
 *
 * @throws {TaskFailure} with both sizes
 */
export function refuseHugeOutput(bytes: number, limit: number): void {
	if (bytes <= limit) return;
	const megabytes = (size: number) => `${Math.ceil((size / 1024 ** 2) * 10) / 10} MB`;
	throw new TaskFailure(
		`The output of the task has ${megabytes(bytes)}; this deployment takes at most ${megabytes(limit)}.`,
	);
}
