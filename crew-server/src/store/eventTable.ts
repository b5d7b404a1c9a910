import type { Change } from '../domain/draft';
import type { StreamEvent } from '../domain/execution';
import type { DueCallback } from '../domain/targets';
import { all, run, runEach, type Sql } from './sql';
import { KEPT_EVENTS } from './store';

interface Row {
	event: string;
}

/** The table of events. */
export class EventTable {
	/**
	 * Takes the events of a change. Under a new identifier, numbers start again, and the old events are removed.
	 *
	 * @param before the identifier until now
	 * @returns the callbacks of the change, with the events that the store has held for them
	 */
	*insert(
		key: number,
		before: string,
		{ execution, events, callbacks }: Change,
	): Sql<DueCallback[]> {
		const { kickoffId } = execution;
		const isRenamed = kickoffId !== before;
		const ofBefore: DueCallback[] = [];
		for (const one of callbacks) {
			const isOfBefore = isRenamed && one.kickoffId === before;
			ofBefore.push(isOfBefore ? yield* this.withHeld(key, one) : one);
		}
		if (isRenamed) yield* run('DELETE FROM events WHERE key = $1', key);
		const first = execution.events - events.length + 1;
		yield* runEach(
			'INSERT INTO events (key, number, event) VALUES ($1, $2, $3)',
			events.map((event, index) => [key, first + index, JSON.stringify(event)]),
		);
		const gone = execution.events - KEPT_EVENTS;
		if (events.length > 0 && gone > 0) {
			yield* run('DELETE FROM events WHERE key = $1 AND number <= $2', key, gone);
		}
		const whole: DueCallback[] = [];
		for (const one of ofBefore) whole.push(yield* this.withHeld(key, one));
		return whole;
	}

	private *withHeld(key: number, { held, ...callback }: DueCallback): Sql<DueCallback> {
		if (!held) return callback;
		const rows = (yield* all(
			'SELECT event FROM events WHERE key = $1 AND number >= $2 ORDER BY number',
			key,
			held.from,
		)) as Row[];
		const events = rows.map(parse).filter(({ type }) => held.types.includes(type));
		return { ...callback, body: { events, ...callback.body } };
	}

	*after(kickoffId: string, number: number, limit: number): Sql<StreamEvent[]> {
		return (
			(yield* all(
				`SELECT event FROM events
				WHERE key = (SELECT key FROM executions WHERE kickoff_id = $1) AND number > $2
				ORDER BY number LIMIT $3`,
				kickoffId,
				number,
				limit,
			)) as Row[]
		).map(parse);
	}

	/** Removes some events of an execution that is gone. @returns how many were removed */
	*removeSome(key: number, limit: number): Sql<number> {
		return yield* run(
			`DELETE FROM events WHERE key = $1
			AND number <= (SELECT MIN(number) FROM events WHERE key = $1) + $2`,
			key,
			limit,
		);
	}
}

function parse({ event }: Row): StreamEvent {
	return JSON.parse(event) as StreamEvent;
}
