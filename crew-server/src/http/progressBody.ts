import { isFlow, type CrewDescription } from '../crew/description';
import {
	currentTask,
	hasBegun,
	hasEnded,
	secondsTaken,
	type ExecutionRecord,
} from '../executions/record';

/** How far an execution is, as the vendor's platform tells it: of a flow, nobody knows how many steps are left. */
export function progressBody(
	execution: ExecutionRecord,
	crew: CrewDescription,
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
		duration_seconds: secondsTaken(execution),
	};
}

function lastChange({ tasks, startedAt, finishedAt = startedAt }: ExecutionRecord): number {
	const times = tasks.flatMap((task) => [task.startedAt ?? 0, task.finishedAt ?? 0]);
	return Math.max(startedAt, finishedAt, ...times);
}
