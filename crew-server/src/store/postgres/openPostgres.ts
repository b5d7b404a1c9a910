import { createHash } from 'node:crypto';

import { bringUpToDate } from './migrate';
import { Connection, postgresCode, type Address } from './connection';
import { PostgresDatabase } from './postgresDatabase';
import { forgetCommits } from './transaction';

/** Characters of a deployment's name in the name of its schema. */
const LONGEST_NAME = 40;
/** Milliseconds for one step of a migration, which takes a while with millions of rows; others wait for it meanwhile. */
const LONGEST_MIGRATION = 600_000;

export interface DatabaseSettings {
	/** `postgres://…`; what is missing comes from variables such as PGPASSWORD. */
	url: string;
	/** Servers with the same name share their executions. */
	deployment: string;
	/** How many executions all these servers run at once (default: any number). */
	fleetParallel?: number;
}

/** Each deployment has its own schema: servers of different deployments can share a database, but not executions. */
export function addressOf({ url, deployment }: DatabaseSettings): Address {
	return { url, schema: schemaOf(deployment) };
}

/** The secrets that give access: they must not be printed, nor passed to the crew. */
export function secretsOf(settings: DatabaseSettings | undefined): string[] {
	if (!settings) return [];
	const passwords = passwordsIn(settings.url);
	const secrets = [...passwords, process.env['PGPASSWORD'] ?? ''].filter((one) => one !== '');
	// A short password is hidden only if it is a whole value, so the address is a secret, too.
	return passwords.length > 0 ? [...secrets, settings.url] : secrets;
}

/** The passwords of an address, both encoded and decoded; one may be among the parameters. */
export function passwordsIn(url: string): string[] {
	if (!URL.canParse(url)) return [];
	const { password, searchParams } = new URL(url);
	const written = [password, ...searchParams.getAll('password')].filter((one) => one !== '');
	return written.flatMap((one) => [one, encodeURIComponent(one), meantBy(one)]);
}

function meantBy(encoded: string): string {
	try {
		return decodeURIComponent(encoded);
	} catch {
		return encoded;
	}
}

function schemaOf(deployment: string): string {
	const name = deployment
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, '_')
		.slice(0, LONGEST_NAME);
	if (name === deployment) return `crew_${name}`;
	const mark = createHash('sha256').update(deployment).digest('hex').slice(0, 8);
	return `crew_${name}_${mark}`;
}

/**
 * Opens the schema of a deployment.
 *
 * @throws {Error} saying why it cannot be used
 */
export async function openPostgres(address: Address): Promise<PostgresDatabase> {
	const anywhere = { ...address, schema: 'pg_catalog' };
	const [connection, other] = [
		new Connection(anywhere, LONGEST_MIGRATION),
		new Connection(anywhere),
	] as const;
	try {
		const [first, second] = [await factsOf(connection), await factsOf(other)];
		if (first.encoding !== 'UTF8') throw new Error(OTHER_ENCODING(first.encoding));
		if (first.session === second.session) throw new Error(SHARED_SESSIONS);
		const client = await connection.open();
		await bringUpToDate(client, address.schema);
		await forgetCommits(client, address.schema);
	} catch (error) {
		throw new Error(`The database cannot be used: ${reason(error, address.schema)}.`, {
			cause: error,
		});
	} finally {
		await Promise.all([connection.close(), other.close()]);
	}
	return new PostgresDatabase(address);
}

const OTHER_ENCODING = (encoding: string) =>
	`its encoding is ${encoding}, which lacks characters: create one with the encoding UTF8`;
const SHARED_SESSIONS =
	'a pooler such as PgBouncer gives each transaction another session: let it pool sessions (pool_mode=session)';

interface Facts {
	encoding: string;
	session: number;
}

async function factsOf(connection: Connection): Promise<Facts> {
	const client = await connection.open();
	const { rows } = await client.query<Facts>(
		`SELECT current_setting('server_encoding') AS encoding, pg_backend_pid() AS session`,
	);
	return rows[0] as Facts;
}

const UNKNOWN_CERTIFICATES = [
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
/** A lock could not be obtained in time. */
const TABLE_IS_HELD = '55P03';
const NO_PERMISSION = '42501';

function adviceFor(code: string, schema: string): string {
	if (code === TABLE_IS_HELD) return ': something else holds its tables, such as a backup';
	if (code === NO_PERMISSION) return `: give its user the schema ${schema}`;
	if (!UNKNOWN_CERTIFICATES.includes(code)) return '';
	return ': name a file of certificates to trust with ?sslrootcert=FILE';
}

function reason(error: unknown, schema: string): string {
	const { message, code = '' } = error as Error & { code?: string };
	// Several addresses may have been tried, each with its own error.
	if (message === '')
		return ((error as AggregateError).errors as Error[]).map((one) => one.message).join(', ');
	const what = postgresCode(error) === undefined ? message : `PostgreSQL says "${message}"`;
	return what + adviceFor(code, schema);
}
