import type { DueCallback } from '../callbacks/callback';
import type { FaultPlan } from '../faults/faultPlan';
import type { Log } from '../log';
import type { Journal } from '../store/journal';
import type { ExecutionRecord, StreamEvent } from './record';

/** Takes note of what executions do: first in the journal, then to those who asked to be called or who follow. */
export class Ledger {
	private readonly followers = new Map<ExecutionRecord, Set<() => void>>();

	constructor(
		private readonly journal: Journal,
		private readonly plan: FaultPlan,
		private readonly send: (callbacks: readonly DueCallback[]) => void,
		private readonly onChange: () => void,
		private readonly log: Log,
	) {}

	/** @returns once the journal has it; the callbacks are sent, and followers told, from then on */
	note(
		execution: ExecutionRecord,
		callbacks: readonly DueCallback[] = [],
		events: readonly StreamEvent[] = [],
	): Promise<void> {
		for (const due of callbacks) {
			const faults = this.plan.take('callback', due.kind, execution.faults);
			if (faults.length > 0) due.faults = faults.map((fault) => ({ ...fault }));
		}
		const numbered = events.map((event, index) => ({ number: execution.events + index, event }));
		execution.events += events.length;
		const last = events.at(-1);
		if (last) execution.lastEvent = withoutData(last);
		for (const event of events) logEvent(this.log, event);
		this.onChange();
		// Where the journal cannot write, callbacks are sent all the same: clients wait for them.
		return this.journal.note(execution, callbacks, numbered).finally(() => {
			this.send(callbacks);
			for (const follower of this.followers.get(execution) ?? []) follower();
		});
	}

	/**
	 * Tells whenever something about an execution has been noted.
	 *
	 * @returns ends that
	 */
	follow(execution: ExecutionRecord, follower: () => void): () => void {
		const followers = this.followers.get(execution) ?? new Set();
		this.followers.set(execution, followers.add(follower));
		return () => {
			followers.delete(follower);
			if (followers.size === 0) this.followers.delete(execution);
		};
	}
}

function withoutData({
	id,
	execution_id,
	timestamp,
	type,
}: StreamEvent): Omit<StreamEvent, 'data'> {
	return { id, execution_id, timestamp, type };
}

/** What the crew and its tasks come to; all else is for those who look closely. */
const MAIN_EVENT = /^(crew|task|flow|human)_/;

function logEvent(log: Log, { execution_id, type, data }: StreamEvent): void {
	// Its line says why, which only the one that tells of it knows.
	if (type === 'crew_kickoff_failed') return;
	const facts = {
		kickoff_id: execution_id,
		...(data['task_id'] === undefined ? {} : { task_id: data['task_id'] }),
		...(log.isLevelEnabled('debug') ? { data } : {}),
	};
	log[MAIN_EVENT.test(type) ? 'info' : 'debug'](facts, type);
}
