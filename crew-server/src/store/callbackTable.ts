import type { Execution } from '../domain/execution';
import type { CallbackAuthentication, DueCallback } from '../domain/targets';
import { attemptsOf, claimedOf, recordOf, SHORTENED, type CallbackRow } from './callbackRow';
import { all, get, run, runEach, type Sql } from './sql';
import {
	LEASE_TIME,
	type CallbackAttempt,
	type CallbackRecord,
	type ClaimedCallback,
	type Fate,
} from './store';

/** How many settled callbacks are kept. */
const KEPT_SETTLED = 1_000;
/** Characters of a body that are kept after it was delivered, or given up and can be sent again. */
const KEPT_BODY = { delivered: 64 * 1024, given_up: 1024 * 1024 };
/** Bytes of bodies that are read at once, before others get their turn. */
const MOST_BYTES = 2 * 1024 ** 2;

/** The `meta` of callbacks is kept only once, with the execution. */
const OF_META = `FROM parts WHERE parts.key = callbacks.key AND name = 'meta'`;
const META = `SELECT value ${OF_META}`;
const SHORT_META = `${META} AND OCTET_LENGTH(value) <= ${KEPT_BODY.delivered}`;

/** The callbacks of an execution to a URL that are neither delivered nor given up, in the form of the index. */
const UNSETTLED_OF = `key = $1 AND SUBSTR(url, 1, 500) = SUBSTR($2, 1, 500) AND url = $2
	AND state IN ('waiting', 'due', 'claimed')`;

/** The table of callbacks. */
export class CallbackTable {
	*insert(
		key: number,
		callbacks: readonly DueCallback[],
		{ meta: kept }: Pick<Execution, 'meta'>,
	): Sql<void> {
		yield* runEach(
			`INSERT INTO callbacks
				(id, key, kickoff_id, kind, awaited, url, origin, authentication, body, state, tries, next_at, delay, attempts)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', 0, 0, 0, '[]')`,
			callbacks.map(({ id, kickoffId, kind, url, authentication, body }) => [
				id,
				key,
				kickoffId,
				kind,
				kind === 'crew' || kind === 'human_input' ? 1 : 0,
				url,
				originOf(url),
				authentication ? JSON.stringify(authentication) : null,
				JSON.stringify(
					kept !== undefined && body['meta'] === kept ? { ...body, meta: undefined } : body,
				),
			]),
		);
		for (const url of new Set(callbacks.map((one) => one.url))) yield* this.letNext(key, url);
	}

	/**
	 * Makes the first unsettled callback of an execution to a URL due, if it is waiting. If that one has failed and will be
	 * tried again, the first question or end waits neither for it nor for those behind it.
	 *
	 * @returns whether there is one more to send
	 */
	private *letNext(key: number, url: string): Sql<boolean> {
		const first = (yield* get(
			`SELECT seq, tries FROM callbacks WHERE ${UNSETTLED_OF} ORDER BY seq LIMIT 1`,
			key,
			url,
		)) as CallbackRow | undefined;
		if (!first) return false;
		if (first.tries === 0) return yield* this.let(first.seq);
		const awaited = (yield* get(
			`SELECT seq FROM callbacks WHERE ${UNSETTLED_OF} AND awaited = 1 AND tries = 0
			ORDER BY seq LIMIT 1`,
			key,
			url,
		)) as CallbackRow | undefined;
		return awaited !== undefined && (yield* this.let(awaited.seq));
	}

	private *let(seq: number): Sql<boolean> {
		const text = `UPDATE callbacks SET state = 'due', next_at = :now WHERE seq = $1 AND state = 'waiting'`;
		return (yield* run(text, seq)) > 0;
	}

	/**
	 * Claims what has been due for longest. In this order, which is that of an index, no more is read than claimed.
	 *
	 * @param except URLs and origins whose callbacks are left alone
	 * @returns those that can be sent now, and whether there were more than are read at once
	 */
	*claim(
		limit: number,
		except: readonly string[],
	): Sql<{ claimed: ClaimedCallback[]; isMore: boolean }> {
		const list = except.map((_, index) => `$${index + 4}`).join();
		const rows = (yield* all(
			`WITH chosen AS MATERIALIZED (
				SELECT seq, OCTET_LENGTH(body) + COALESCE((SELECT OCTET_LENGTH(value) ${OF_META}), 0) AS size FROM callbacks
				WHERE state IN ('due', 'claimed') AND next_at <= :now
					${list && `AND url NOT IN (${list}) AND origin NOT IN (${list})`}
				ORDER BY next_at, seq LIMIT $1 FOR UPDATE SKIP LOCKED
			),
			sums AS (SELECT seq, SUM(size) OVER (ORDER BY seq) - size AS earlier FROM chosen)
			UPDATE callbacks SET state = 'claimed', next_at = :now + $2, delay = $2
			WHERE seq IN (SELECT seq FROM sums WHERE earlier < $3)
			RETURNING seq, id, kickoff_id, kind, url, authentication, body, (${META}) AS meta, tries`,
			limit,
			LEASE_TIME,
			MOST_BYTES,
			...except,
		)) as CallbackRow[];
		const bytes = rows.reduce((sum, { body, meta }) => sum + body.length + (meta?.length ?? 0), 0);
		const claimed = rows.toSorted((one, other) => one.seq - other.seq).map(claimedOf);
		// A character has at most four bytes.
		return { claimed, isMore: rows.length < limit && bytes * 4 >= MOST_BYTES };
	}

	/** Milliseconds until the next one is to be tried again. */
	*next(): Sql<number | undefined> {
		const row = (yield* get(
			`SELECT MIN(next_at) - :now AS pause FROM callbacks
			WHERE state IN ('due', 'claimed') AND next_at > :now`,
		)) as { pause: number | null } | undefined;
		return row?.pause ?? undefined;
	}

	/** How many are neither delivered nor given up. */
	*unsettled(): Sql<number> {
		const row = yield* get(
			`SELECT COUNT(*) AS count FROM callbacks WHERE state IN ('waiting', 'due', 'claimed')`,
		);
		return (row as { count: number }).count;
	}

	/** @returns its execution, unless that is gone, and whether there are others to send now */
	*settle(
		{ id, tries }: ClaimedCallback,
		attempt: CallbackAttempt,
		fate: Fate,
	): Sql<{ key: number; hasNext: boolean } | undefined> {
		// Until the end of the transaction, nobody else changes which of its callbacks is next.
		yield* get(
			'SELECT key FROM executions WHERE key = (SELECT key FROM callbacks WHERE id = $1) FOR UPDATE',
			id,
		);
		const row = (yield* get(
			`SELECT seq, key, url, attempts FROM callbacks WHERE id = $1 AND state = 'claimed' AND tries = $2`,
			id,
			tries,
		)) as CallbackRow | undefined;
		if (!row) return undefined;
		const { seq, key, url } = row;
		const attempts = JSON.stringify([...attemptsOf(row.attempts), attempt]);
		if (fate.fate === 'due') yield* this.putOff(seq, attempts, fate.after);
		else yield* this.decide(seq, attempts, fate.fate);
		return { key, hasNext: yield* this.letNext(key, url) };
	}

	private *putOff(seq: number, attempts: string, delay: number): Sql<void> {
		yield* run(
			`UPDATE callbacks SET state = 'due', tries = tries + 1, attempts = $2, next_at = :now + $3,
				delay = $3
			WHERE seq = $1`,
			seq,
			attempts,
			delay,
		);
	}

	/** Settles a callback, and removes its secrets, which are no longer needed. */
	private *decide(seq: number, attempts: string, state: 'delivered' | 'given_up'): Sql<void> {
		yield* run(
			`UPDATE callbacks SET state = $2, tries = tries + 1, attempts = $3, authentication = NULL,
				body = CASE WHEN LENGTH(body) > $4 THEN '${SHORTENED}' || LENGTH(body) || '}' ELSE body END
			WHERE seq = $1`,
			seq,
			state,
			attempts,
			KEPT_BODY[state],
		);
		yield* run(
			`DELETE FROM callbacks WHERE state IN ('delivered', 'given_up') AND seq <= (
				SELECT seq FROM callbacks WHERE state IN ('delivered', 'given_up')
				ORDER BY seq DESC LIMIT 1 OFFSET $1
			)`,
			KEPT_SETTLED,
		);
	}

	*release({ id, tries }: ClaimedCallback): Sql<void> {
		yield* run(
			`UPDATE callbacks SET state = 'due', next_at = 0 WHERE id = $1 AND state = 'claimed' AND tries = $2`,
			id,
			tries,
		);
	}

	*newest(limit: number): Sql<CallbackRecord[]> {
		return (
			(yield* all(
				`SELECT id, kickoff_id, kind, url, body, (${SHORT_META}) AS meta, state, attempts FROM callbacks
				ORDER BY seq DESC LIMIT $1`,
				limit,
			)) as CallbackRow[]
		)
			.reverse()
			.map(recordOf);
	}

	*of(key: number): Sql<CallbackRecord[]> {
		return (
			(yield* all(
				`SELECT id, kickoff_id, kind, url, body, (${SHORT_META}) AS meta, state, attempts FROM callbacks
				WHERE key = $1 ORDER BY seq`,
				key,
			)) as CallbackRow[]
		).map(recordOf);
	}

	/** @returns whether it was given up, and its body is whole */
	*sendAgain(
		key: number,
		id: string,
		authentication: CallbackAuthentication | undefined,
	): Sql<boolean> {
		const changed = yield* run(
			`UPDATE callbacks SET state = 'due', tries = 0, next_at = 0, delay = 0, authentication = $3
			WHERE id = $1 AND key = $2 AND state = 'given_up' AND body NOT LIKE '${SHORTENED}%'`,
			id,
			key,
			authentication ? JSON.stringify(authentication) : null,
		);
		return changed > 0;
	}
}

function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}
