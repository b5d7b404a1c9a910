import type { Client } from 'pg';

import type { Sql } from '../sql';
import { send } from './connection';

/** One transaction, in which several pieces of work are done side by side. */
export class Transaction {
	private id: string | undefined;
	private isEnding = false;

	constructor(private readonly client: Client) {}

	/** By which {@link isCommitted} finds it, if it may have been committed. */
	get doubtful(): string | undefined {
		return this.isEnding ? this.id : undefined;
	}

	/**
	 * Does all the work: each step of one is sent together with those of the others.
	 *
	 * @returns what each piece gives; rejects if one cannot be done, and nothing is done then
	 */
	async perform<T>(pieces: ReadonlyArray<Sql<T>>): Promise<T[]> {
		const begun = this.begin();
		const ends = await Promise.allSettled([begun, ...pieces.map((piece) => this.go(piece))]);
		const failed = ends.filter((end) => end.status === 'rejected');
		// Those behind the first that failed only say that one did.
		const first = failed.find(({ reason }) => !isAftermath(reason)) ?? failed[0];
		if (first) throw first.reason;
		return ends.slice(1).map((end) => (end as PromiseFulfilledResult<T>).value);
	}

	private async begin(): Promise<void> {
		const beginning = this.client.query('BEGIN');
		const [, { rows }] = await Promise.all([
			beginning,
			this.client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id'),
		]);
		this.id = rows[0]?.id;
	}

	private async go<T>(piece: Sql<T>): Promise<T> {
		let step = piece.next();
		while (!step.done) step = piece.next(await send(this.client, step.value));
		return step.value;
	}

	/** @param notices to send to everybody who listens to the channel, if it is committed */
	async commit(channel: string, notices: readonly string[]): Promise<void> {
		const told = notices.map((notice) =>
			this.client.query({
				name: 'notify',
				text: 'SELECT pg_notify($1, $2)',
				values: [channel, notice],
			}),
		);
		this.isEnding = true;
		const ending = this.client.query('COMMIT');
		const [end] = await Promise.allSettled([ending, ...told]);
		if (end.status === 'rejected') throw end.reason;
		this.isEnding = false;
		if (end.value.command !== 'COMMIT') throw new Error('the transaction was not committed');
	}

	/** What is left of it ends with the connection. */
	async rollBack(): Promise<void> {
		await this.client.query('ROLLBACK').catch(() => undefined);
	}
}

/** What PostgreSQL says of all statements after one that failed. */
const IN_FAILED_TRANSACTION = '25P02';
const isAftermath = (error: unknown) => (error as { code?: string }).code === IN_FAILED_TRANSACTION;

/** The number is of a transaction that the database knows nothing of: it is not the one that it was, say. */
const INVALID_VALUE = '22023';

/** Whether a transaction was committed; `undefined` as long as it has not ended. */
export async function isCommitted(client: Client, id: string): Promise<boolean | undefined> {
	try {
		const { rows } = await client.query<{ status: string | null }>(
			'SELECT pg_xact_status($1::xid8) AS status',
			[id],
		);
		const status = rows[0]?.status;
		return status === 'in progress' ? undefined : status === 'committed';
	} catch (error) {
		if ((error as { code?: string }).code === INVALID_VALUE) return false;
		throw error;
	}
}
