import type { CrewDescription } from './crew';
import { excerpt } from './excerpt';
import { hasBegun, type Execution, type Task } from './execution';
import { fillTemplate, textsOf } from './template';

/**
 * The tasks of a crew, none of which has begun.
 *
 * @param taskUuids a new UUID for each
 */
export function tasksOf(
	{ tasks }: CrewDescription,
	taskUuids: readonly string[],
	inputs: Readonly<Record<string, unknown>>,
): Task[] {
	const textOf = textsOf(inputs, excerpt);
	const fill = (text: string) => fillTemplate(text, textOf);
	return tasks.map((task, index) => ({
		taskId: task.name,
		uuid: taskUuids[index] ?? task.name,
		description: fill(task.description),
		expectedOutput: fill(task.expectedOutput),
		agent: fill(task.agent),
		onInterrupt: task.onInterrupt,
		state: 'waiting',
		attempts: 0,
	}));
}

/** Whether the crew has changed since the kickoff, and nothing has been done that would not fit it. */
export function canBePlannedAnew(
	{ tasks, checkpoint }: Execution,
	{ tasks: now }: CrewDescription,
): boolean {
	const names = tasks.map(({ taskId }) => taskId).join('\n');
	const isSame = names === now.map(({ name }) => name).join('\n');
	return !isSame && checkpoint === undefined && !tasks.some(hasBegun);
}
