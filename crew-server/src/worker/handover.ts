import type { Execution } from '../domain/execution';
import { transitionAll, type Timed } from '../domain/transitionAll';

/** The reports up to the end of a task at which no other task is running, so that nothing has to be repeated elsewhere. */
export function upToEndOfTask(execution: Execution, reports: Timed[]): Timed[] | undefined {
	for (const [index, { message }] of reports.entries()) {
		if (message.type !== 'task_done') continue;
		const before = reports.slice(0, index + 1);
		if (isBetweenTasks(transitionAll(execution, before).execution)) return before;
	}
	return undefined;
}

/** Whether another worker could start with the next task. */
function isBetweenTasks({ state, tasks }: Execution): boolean {
	return (
		state === 'running' &&
		tasks.every((task) => task.state !== 'running') &&
		tasks.some((task) => task.state !== 'completed')
	);
}
