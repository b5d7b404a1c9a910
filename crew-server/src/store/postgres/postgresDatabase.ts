import { setTimeout as sleep } from 'node:timers/promises';

import type { Database, OthersListener, Written } from '../database';
import { run, type Sql } from '../sql';
import { StoreUnavailable } from '../store';
import { Connection, postgresCode, send, type Address } from './connection';
import { Listener } from './listener';
import { isCommitted, Transaction } from './transaction';

interface Write {
	work: () => Sql<Written<unknown>>;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

/** How many writes share one transaction. */
const MOST_AT_ONCE = 64;
/** Milliseconds after a failed write before the next check whether writing works again. */
const BETWEEN_PROBES = 1_000;
/** Milliseconds between two queries for the outcome of a transaction. */
const BETWEEN_QUESTIONS = 200;
/** How often a write is tried that conflicts with others. */
const MOST_TRIES = 5;

/** A PostgreSQL schema that other processes use, too. All waiting writes share one transaction. */
export class PostgresDatabase implements Database {
	private readonly writer: Connection;
	private readonly reader: Connection;
	private readonly listener: Listener;
	private waiting: Write[] = [];
	private writing: Promise<void> | undefined;
	/** Whether the outcome of the last transaction is unknown. */
	private isInDoubt = false;
	private isClosing = false;
	private failure: { problem: string; at: number } | undefined;
	private tell: (written: Written<unknown>) => void = () => undefined;

	constructor(address: Address) {
		this.writer = new Connection(address);
		this.reader = new Connection(address);
		this.listener = new Listener(address);
	}

	onWritten(listener: (written: Written<unknown>) => void): void {
		this.tell = listener;
	}

	onOthers(listener: OthersListener): void {
		this.listener.start(listener);
	}

	get problem(): string | undefined {
		if (this.failure && performance.now() - this.failure.at > BETWEEN_PROBES) {
			this.failure.at = performance.now();
			this.write(probe).catch(() => undefined);
		}
		return this.failure?.problem ?? this.listener.problem;
	}

	async read<T>(work: () => Sql<T>): Promise<T> {
		try {
			const client = await this.reader.open();
			const piece = work();
			let step = piece.next();
			while (!step.done) step = piece.next(await send(client, step.value));
			return step.value;
		} catch (error) {
			throw unavailable(error);
		}
	}

	write<T>(work: () => Sql<Written<T>>): Promise<T> {
		if (this.isInDoubt) return Promise.reject(new StoreUnavailable(this.failure?.problem));
		return new Promise<T>((resolve, reject) => {
			this.waiting.push({ work, resolve: resolve as Write['resolve'], reject });
			this.writing ??= this.writeAll();
		});
	}

	async close(): Promise<void> {
		this.isClosing = true;
		await this.writing;
		await Promise.all([this.listener.close(), this.writer.close(), this.reader.close()]);
	}

	private async writeAll(): Promise<void> {
		// All writes of the same turn are made together.
		await new Promise(setImmediate);
		while (this.waiting.length > 0) await this.transact(this.waiting.splice(0, MOST_AT_ONCE));
		this.writing = undefined;
	}

	private async transact(writes: readonly Write[], tries = 1): Promise<void> {
		let transaction: Transaction | undefined;
		let written: Array<Written<unknown>> = [];
		try {
			transaction = new Transaction(await this.writer.open());
			written = await transaction.perform(writes.map(({ work }) => work()));
			await transaction.commit(this.listener.channel, this.listener.noticesOf(written));
		} catch (error) {
			if (!transaction?.isInDoubt || !(await this.wasCommitted(transaction, error))) {
				await transaction?.rollBack();
				await this.fail(writes, error, tries);
				return;
			}
		}
		this.failure = undefined;
		for (const [index, { resolve }] of writes.entries()) {
			const one = written[index];
			if (one) this.tell(one);
			resolve(one?.value);
		}
	}

	/** The error of one write must not keep the others from being made. */
	private async fail(writes: readonly Write[], error: unknown, tries: number): Promise<void> {
		const [only] = writes;
		if (writes.length > 1 && isOfTheStatement(error)) {
			for (const one of writes) await this.transact([one]);
		} else if (isOfOthers(error) && tries < MOST_TRIES && only) {
			for (const one of writes) await this.transact([one], tries + 1);
		} else if (isOfTheStatement(error)) {
			only?.reject(error);
		} else {
			this.failure = { problem: (error as Error).message, at: performance.now() };
			if (postgresCode(error) === READ_ONLY) await this.disconnect();
			for (const { reject } of writes) reject(unavailable(error));
		}
	}

	/** Disconnects: the same address may now lead to another machine. */
	private async disconnect(): Promise<void> {
		await Promise.all([this.listener.disconnect(), this.writer.close(), this.reader.close()]);
	}

	/** Finds out whether a commit whose answer was lost has succeeded: until then, nobody may be told either way. */
	private async wasCommitted({ mark }: Transaction, error: unknown): Promise<boolean> {
		if (isRefusal(error)) return false;
		this.isInDoubt = true;
		this.failure = { problem: (error as Error).message, at: performance.now() };
		this.refuseWaiting();
		try {
			for (;;) {
				const answer = await this.writer
					.open()
					.then((client) => isCommitted(client, mark))
					.catch(() => undefined);
				if (answer !== undefined) return answer;
				if (this.isClosing) return false;
				await sleep(BETWEEN_QUESTIONS);
			}
		} finally {
			this.isInDoubt = false;
		}
	}

	private refuseWaiting(): void {
		for (const { reject } of this.waiting.splice(0)) {
			reject(new StoreUnavailable(this.failure?.problem));
		}
	}
}

/** Really writes something, since other writes may turn out to change nothing. */
function* probe(): Sql<Written<void>> {
	yield* run('INSERT INTO removed (key) VALUES (0) ON CONFLICT DO NOTHING');
	yield* run('DELETE FROM removed WHERE key = 0');
	return { value: undefined };
}

/** Writes are refused, e.g. because this database is now a replica. */
const READ_ONLY = '25006';

/** A constraint, or an impossible or too large value, while the database is fine; or not an error of the database at all. */
function isOfTheStatement(error: unknown): boolean {
	const code = postgresCode(error);
	if (code !== undefined) return /^(22|23|54)/.test(code);
	return error instanceof TypeError || error instanceof SyntaxError;
}

/** Whether PostgreSQL has answered that it did not do something, and keeps running. */
function isRefusal(error: unknown): boolean {
	return (error as { severity?: string }).severity === 'ERROR';
}

/** A conflict with others, e.g. a deadlock, which the next try will not meet again. */
function isOfOthers(error: unknown): boolean {
	return /^40/.test(postgresCode(error) ?? '');
}

function unavailable(error: unknown): StoreUnavailable {
	return new StoreUnavailable((error as Error).message, { cause: error });
}
