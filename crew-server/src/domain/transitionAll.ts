import type { Change } from './draft';
import type { Execution } from './execution';
import type { Command, Report } from './messages';
import { transition } from './transition';

/** A message, and when it came, in milliseconds since 1970. */
export interface Timed {
	message: Command | Report;
	at: number;
}

/** Applies several messages to an execution, one after the other; those that change nothing are skipped. */
export function transitionAll(execution: Execution, messages: readonly Timed[]): Change {
	return messages.reduce<Change>(
		(before, { message, at }) => {
			const change = transition(before.execution, message, at);
			if (!change) return before;
			return {
				execution: change.execution,
				events: [...before.events, ...change.events],
				callbacks: [...before.callbacks, ...change.callbacks],
			};
		},
		{ execution, events: [], callbacks: [] },
	);
}
