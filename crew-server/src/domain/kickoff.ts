import type { CrewDescription } from './crew';
import { Draft, type Change } from './draft';
import { excerpt } from './excerpt';
import type { Execution, Owner } from './execution';
import type { CallbackTargets } from './targets';
import { tasksOf } from './tasks';

export interface KickoffOrder {
	kickoffId: string;
	/** A new UUID for each task of the crew. */
	taskUuids: readonly string[];
	owner: Owner;
	inputs: Readonly<Record<string, unknown>>;
	restoredFrom?: string;
	traceparent?: string;
	meta?: Readonly<Record<string, unknown>>;
	callbacks: CallbackTargets;
	/** What a plugin keeps with the execution. */
	extension?: unknown;
}

/**
 * A new execution of a crew, which waits for a worker.
 *
 * @param now milliseconds since 1970
 */
export function kickoff(
	crew: CrewDescription,
	{ taskUuids, ...order }: KickoffOrder,
	now: number,
): Change {
	const execution: Execution = {
		...order,
		crewName: crew.name,
		state: 'queued',
		tasks: tasksOf(crew, taskUuids, order.inputs),
		questions: [],
		tokenUsage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
		events: 0,
		callbackCount: 0,
		startedAt: now,
	};
	const draft = new Draft(execution, now);
	draft.tell('crew_kickoff_started', { crew_name: crew.name, inputs: excerpt(order.inputs) });
	return draft;
}
