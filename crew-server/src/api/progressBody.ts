import { isFlow, type CrewDescription } from '../domain/crew';
import { currentTask, hasBegun, hasEnded, type Task, type Told } from '../domain/execution';

/** An execution's progress, as the vendor's platform reports it. Nobody knows how many steps a flow has left. */
export function progressBody(
	execution: Told,
	crew: CrewDescription,
	now: number,
): Record<string, unknown> {
	const { tasks, startedAt } = execution;
	const inFlow = isFlow(crew);
	const completed = tasks.filter(({ state }) => state === 'completed').length;
	const next = hasEnded(execution) ? undefined : currentTask(execution);
	const current = next && (!inFlow || hasBegun(next)) ? next : undefined;
	return {
		unit: inFlow ? 'step' : 'task',
		completed,
		total: inFlow ? null : tasks.length,
		remaining: inFlow ? null : tasks.length - completed,
		current: current?.taskId ?? null,
		current_agent: current?.agent ?? null,
		started_at: new Date(startedAt).toISOString(),
		updated_at: new Date(lastChange(execution)).toISOString(),
		duration_seconds: secondsTaken(execution, now),
	};
}

function lastChange({ tasks, startedAt, finishedAt = startedAt }: Told): number {
	const times = tasks.flatMap((task) => [task.startedAt ?? 0, task.finishedAt ?? 0]);
	return Math.max(startedAt, finishedAt, ...times);
}

/** Seconds between start and end, or until now if it has not ended. */
export function secondsTaken(
	{ startedAt, finishedAt }: Pick<Task, 'startedAt' | 'finishedAt'>,
	now: number,
): number {
	// The clock may have been set back meanwhile.
	return startedAt === undefined ? 0 : Math.max(0, (finishedAt ?? now) - startedAt) / 1000;
}
