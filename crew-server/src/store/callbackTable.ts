import type { CallbackAuthentication, CallbackKind, DueCallback } from '../domain/targets';
import type { Sqlite } from './sqlite';
import {
	LEASE_TIME,
	type CallbackAttempt,
	type CallbackRecord,
	type ClaimedCallback,
	type Fate,
} from './store';

/** How many callbacks whose fate is known are kept. */
const KEPT_SETTLED = 1_000;
/** Characters of a body that are kept once it was delivered, and once it was given up and may be sent again. */
const KEPT_BODY = { delivered: 64 * 1024, given_up: 1024 * 1024 };

interface Row {
	seq: number;
	id: string;
	key: number;
	kickoff_id: string;
	kind: CallbackKind;
	url: string;
	authentication: string | null;
	body: string;
	state: 'waiting' | 'due' | 'claimed' | 'delivered' | 'given_up';
	tries: number;
	attempts: string;
}

/** The table of callbacks. */
export class CallbackTable {
	constructor(
		private readonly sqlite: Sqlite,
		private readonly clock: () => number,
	) {}

	/** Gives back what an earlier process had claimed; no wait is longer than it was when it began. */
	takeOver(): void {
		this.sqlite.run(`UPDATE callbacks SET state = 'due', next_at = 0 WHERE state = 'claimed'`);
		this.sqlite.run(
			`UPDATE callbacks SET next_at = $1 + delay WHERE state = 'due' AND next_at > $1 + delay`,
			this.clock(),
		);
	}

	insert(key: number, callbacks: readonly DueCallback[]): void {
		for (const { id, kickoffId, kind, url, authentication, body } of callbacks) {
			this.sqlite.run(
				`INSERT INTO callbacks
					(id, key, kickoff_id, kind, awaited, url, origin, authentication, body, state, tries, next_at, delay, attempts)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', 0, 0, 0, '[]')`,
				id,
				key,
				kickoffId,
				kind,
				kind === 'crew' || kind === 'human_input' ? 1 : 0,
				url,
				originOf(url),
				authentication ? JSON.stringify(authentication) : null,
				JSON.stringify(body),
			);
		}
		for (const url of new Set(callbacks.map((one) => one.url))) this.letNext(key, url);
	}

	/**
	 * Has the first callback of an execution to a URL that is not settled be sent, if it waits. If that has failed, and is
	 * to be tried again, the first question or end does not wait for it, nor for what waits behind it.
	 *
	 * @returns whether there is one more to send
	 */
	private letNext(key: number, url: string): boolean {
		const first = this.sqlite.get(
			`SELECT seq, tries FROM callbacks
			WHERE key = $1 AND url = $2 AND state IN ('waiting', 'due', 'claimed') ORDER BY seq LIMIT 1`,
			key,
			url,
		) as Row | undefined;
		if (!first) return false;
		if (first.tries === 0) return this.let(first.seq);
		const awaited = this.sqlite.get(
			`SELECT seq FROM callbacks
			WHERE key = $1 AND url = $2 AND state IN ('waiting', 'due', 'claimed') AND awaited = 1 AND tries = 0
			ORDER BY seq LIMIT 1`,
			key,
			url,
		) as Row | undefined;
		return awaited !== undefined && this.let(awaited.seq);
	}

	private let(seq: number): boolean {
		const text = `UPDATE callbacks SET state = 'due' WHERE seq = $1 AND state = 'waiting'`;
		return this.sqlite.run(text, seq) > 0;
	}

	/** @param except URLs and origins whose callbacks stay where they are */
	claim(limit: number, except: readonly string[]): ClaimedCallback[] {
		const now = this.clock();
		const list = except.map((_, index) => `$${index + 5}`).join();
		const rows = this.sqlite.all(
			`UPDATE callbacks SET state = 'claimed', next_at = $2, delay = $3 WHERE seq IN (
				SELECT seq FROM callbacks WHERE state IN ('due', 'claimed') AND next_at <= $1
					AND url NOT IN (${list}) AND origin NOT IN (${list})
				ORDER BY seq LIMIT $4
			) RETURNING seq, id, kickoff_id, kind, url, authentication, body, tries`,
			now,
			now + LEASE_TIME,
			LEASE_TIME,
			limit,
			...except,
		) as Row[];
		return rows.sort((one, other) => one.seq - other.seq).map(claimedOf);
	}

	/** Milliseconds until the next one is to be tried again. */
	next(): number | undefined {
		const now = this.clock();
		const row = this.sqlite.get(
			`SELECT MIN(next_at) AS at FROM callbacks WHERE state IN ('due', 'claimed') AND next_at > $1`,
			now,
		) as { at: number | null } | undefined;
		const at = row?.at ?? undefined;
		return at === undefined ? undefined : at - now;
	}

	/** @returns whose it is, unless it is gone, and whether there are others to send now */
	settle(
		{ id, tries }: ClaimedCallback,
		attempt: CallbackAttempt,
		fate: Fate,
	): { key: number; hasNext: boolean } | undefined {
		const row = this.sqlite.get(
			`SELECT seq, key, url, attempts FROM callbacks WHERE id = $1 AND state = 'claimed' AND tries = $2`,
			id,
			tries,
		) as Row | undefined;
		if (!row) return undefined;
		const { seq, key, url } = row;
		const attempts = JSON.stringify([...(JSON.parse(row.attempts) as CallbackAttempt[]), attempt]);
		if (fate.fate === 'due') this.putOff(seq, attempts, fate.after);
		else this.decide(seq, attempts, fate.fate);
		return { key, hasNext: this.letNext(key, url) };
	}

	private putOff(seq: number, attempts: string, delay: number): void {
		this.sqlite.run(
			`UPDATE callbacks SET state = 'due', tries = tries + 1, attempts = $2, next_at = $3, delay = $4
			WHERE seq = $1`,
			seq,
			attempts,
			this.clock() + delay,
			delay,
		);
	}

	/** Secrets are not kept longer than needed. */
	private decide(seq: number, attempts: string, state: 'delivered' | 'given_up'): void {
		this.sqlite.run(
			`UPDATE callbacks SET state = $2, tries = tries + 1, attempts = $3, authentication = NULL,
				body = CASE WHEN LENGTH(body) > $4 THEN '{"bytes":' || LENGTH(body) || '}' ELSE body END
			WHERE seq = $1`,
			seq,
			state,
			attempts,
			KEPT_BODY[state],
		);
		this.sqlite.run(
			`DELETE FROM callbacks WHERE state IN ('delivered', 'given_up') AND seq <= (
				SELECT seq FROM callbacks WHERE state IN ('delivered', 'given_up')
				ORDER BY seq DESC LIMIT 1 OFFSET $1
			)`,
			KEPT_SETTLED,
		);
	}

	release({ id, tries }: ClaimedCallback): void {
		this.sqlite.run(
			`UPDATE callbacks SET state = 'due', next_at = 0 WHERE id = $1 AND state = 'claimed' AND tries = $2`,
			id,
			tries,
		);
	}

	newest(limit: number): CallbackRecord[] {
		return (
			this.sqlite.all(
				`SELECT id, kickoff_id, kind, url, body, state, attempts FROM callbacks
				ORDER BY seq DESC LIMIT $1`,
				limit,
			) as Row[]
		)
			.reverse()
			.map(recordOf);
	}

	of(key: number): CallbackRecord[] {
		return (
			this.sqlite.all(
				`SELECT id, kickoff_id, kind, url, body, state, attempts FROM callbacks
				WHERE key = $1 ORDER BY seq`,
				key,
			) as Row[]
		).map(recordOf);
	}

	/** @returns whether it was given up, and is whole */
	sendAgain(key: number, id: string, authentication: CallbackAuthentication | undefined): boolean {
		const changed = this.sqlite.run(
			`UPDATE callbacks SET state = 'due', tries = 0, next_at = 0, delay = 0, authentication = $3
			WHERE id = $1 AND key = $2 AND state = 'given_up' AND body NOT LIKE '{"bytes":%'`,
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

function claimedOf({
	id,
	kickoff_id,
	kind,
	url,
	authentication,
	body,
	tries,
}: Row): ClaimedCallback {
	return {
		id,
		kickoffId: kickoff_id,
		kind,
		url,
		...(authentication === null
			? {}
			: { authentication: JSON.parse(authentication) as CallbackAuthentication }),
		body: JSON.parse(body) as ClaimedCallback['body'],
		tries,
	};
}

function recordOf({ id, kickoff_id, kind, url, body, state, attempts }: Row): CallbackRecord {
	return {
		id,
		kickoffId: kickoff_id,
		kind,
		url,
		body: JSON.parse(body) as CallbackRecord['body'],
		fate: state === 'delivered' || state === 'given_up' ? state : 'due',
		attempts: JSON.parse(attempts) as CallbackAttempt[],
	};
}
