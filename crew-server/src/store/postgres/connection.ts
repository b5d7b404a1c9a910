import type * as pg from 'pg';
import type { Client, CustomTypesConfig } from 'pg';

import { CLOCKS, type Outcome, type Statement } from '../sql';

/** Where the tables of a deployment are. */
export interface Address {
	/** `postgres://…`; what is missing comes from the variables of PostgreSQL's own programs, such as PGPASSWORD. */
	url: string;
	/** The schema of the deployment in that database. */
	schema: string;
}

/** Milliseconds to connect, and for one statement: a silent network is no better than none. */
const PATIENCE = 10_000;
/** Milliseconds by which PostgreSQL gives up earlier, so that no statement is left there, e.g. waiting for a lock. */
const MARGIN = 1_000;
/** Milliseconds for which a frozen process may block what it was about to write. */
const IDLE_IN_TRANSACTION = 3_000;

/** Types (bigint, numeric) that `pg` returns as text, since they can have larger numbers than we store. */
const NUMBERS = [20, 1_700];

/** A connection that is opened on demand, and again after it was lost. */
export class Connection {
	private opening: Promise<Client> | undefined;

	/** @param patience milliseconds for one statement */
	constructor(
		private readonly address: Address,
		private readonly patience = PATIENCE,
	) {}

	open(): Promise<Client> {
		this.opening ??= this.connect();
		return this.opening;
	}

	async close(): Promise<void> {
		const { opening } = this;
		this.opening = undefined;
		await opening?.then((client) => client.end()).catch(() => undefined);
	}

	private connect(): Promise<Client> {
		const forget = () => {
			if (this.opening === opening) this.opening = undefined;
		};
		const opening = connect(this.address, this.patience, forget).catch((error: unknown) => {
			forget();
			throw error;
		});
		return opening;
	}
}

async function connect(
	{ url, schema }: Address,
	patience: number,
	onEnd: () => void,
): Promise<Client> {
	const { Client, types } = await driver();
	const numbers: CustomTypesConfig = {
		getTypeParser: (type, format) =>
			NUMBERS.includes(type)
				? Number
				: (types.getTypeParser(type, format) as (text: string) => unknown),
	};
	const client = new Client({
		connectionString: url,
		application_name: 'crew-server',
		pipeline: true,
		keepAlive: true,
		connectionTimeoutMillis: PATIENCE,
		query_timeout: patience,
		types: numbers,
	});
	client.on('error', onEnd);
	client.on('end', onEnd);
	await client.connect();
	// PgBouncer accepts none of these when a connection starts. A database or its user may have other defaults.
	await client.query(
		`SET search_path TO ${schema};
		SET default_transaction_isolation TO 'read committed';
		SET lock_timeout TO 0;
		SET idle_session_timeout TO 0;
		SET idle_in_transaction_session_timeout TO ${IDLE_IN_TRANSACTION};
		SET statement_timeout TO ${patience - MARGIN}`,
	);
	return client;
}

/** Loads `pg`, which only a server with a PostgreSQL database needs. */
async function driver(): Promise<typeof pg> {
	try {
		return await import('pg');
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
		throw new Error('--database needs the package pg beside the crew server: npm install pg');
	}
}

/** PostgreSQL's code of an error: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function postgresCode(error: unknown): string | undefined {
	const { code, severity } = error as { code?: string; severity?: string };
	return severity === undefined ? undefined : code;
}

/** Names of prepared statements, which PostgreSQL parses only once for each connection. */
const names = new Map<string, string>();

/** Sends statements without waiting in between. @returns the outcome of each; rejects with the first error */
export async function send(client: Client, statements: readonly Statement[]): Promise<Outcome[]> {
	const sent = statements.map(({ text, values }) => {
		const name = names.get(text) ?? `s${names.size}`;
		names.set(text, name);
		return client.query<object>({
			name,
			text: text.replaceAll(CLOCKS, 'crew_now()'),
			values: values.map(withoutNul),
		});
	});
	const outcomes: Outcome[] = [];
	for (const outcome of await Promise.allSettled(sent)) {
		if (outcome.status === 'rejected') throw outcome.reason;
		const { rows, rowCount } = outcome.value;
		outcomes.push({ rows, changes: rowCount ?? 0 });
	}
	return outcomes;
}

/** Encodes U+0000, which PostgreSQL cannot store. Only URLs can contain it, and for them this means the same. */
function withoutNul<T>(value: T): T | string {
	return typeof value === 'string' ? value.replaceAll('\0', '%00') : value;
}
