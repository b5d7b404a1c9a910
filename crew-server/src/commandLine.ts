import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { parseAspect, type Aspects } from './api/aspects';
import type { CrewServerOptions } from './options';
import { BUILT_IN_CREWS } from './findCrew';
import { COMMAND, DATA_FOLDER } from './installation';
import { LOG_FORMATS, LOG_LEVELS } from './log';
import { parseDialect } from './simulator/dialects';
import { parseFaults } from './simulator/faults/fault';
import { passwordsIn } from './store/postgres/openPostgres';

/** The most minutes of a timer, which counts milliseconds with 31 bits. */
const LONGEST_LIMIT = 35_791;

/** Where the crew server listens by default. */
const DEFAULT_PORT = 8321;

export const USAGE = `Usage: ${COMMAND} [check] [crew] [options]

  crew              a CrewAI project's folder, or a crew that is only played:
                    research (default), reviewed-article, or a YAML file
  --port N, --host ADDRESS      default: ${DEFAULT_PORT} (0: any) and 127.0.0.1
  --public-host NAME            a host name that a proxy passes on; repeatable
  --token, --user-token TEXT    or CREW_SERVER_TOKEN, CREW_SERVER_USER_TOKEN
  --data FOLDER, --no-data, --fsync  where to keep data; survive power cuts
  --database URL, --deployment NAME  data in PostgreSQL, for several servers
  --storage FOLDER              memory and output files, for several machines
  --python PATH, --crew NAME, --entry MODULE:NAME  which one, if several
  --parallel N, --fleet-parallel N   executions at once, here and on all servers
  --queue N, --keep 30d, --drain MINUTES  most waiting, age, time to shut down
  --limit MINUTES, --max-tokens N, --memory-limit MB   limits of an execution
  --log text|json, --log-level info|debug    debug adds inputs and outputs
  --version, --help     (check shows what it finds; 0 even if keys are missing)
For tests of clients:
  --played          plays a project's texts, without Python or a model
  --simulate        allows --dialect, --fault, X-Crew-Fault for real crews
  --dialect NAME    both (default), documented, queue or platform
  --aspect NAME=VALUE           a difference from the dialect; repeatable
  --fault KIND[=VALUE][@WHERE][+AFTER][*TIMES]   a fault; repeatable
See docs/testing-against-a-crew.md. Ctrl-C twice stops it at once. Exit codes:
0 stopped, 1 not started or not stopped in 5 s, 2 bad options, 128 + signal.
`;

/** What the command line asks for. */
export type Choice =
	{ show: 'help' | 'version' } | { check: CrewServerOptions } | { start: CrewServerOptions };

const OPTIONS = {
	port: { type: 'string' },
	host: { type: 'string' },
	'public-host': { type: 'string', multiple: true },
	token: { type: 'string' },
	'user-token': { type: 'string' },
	dialect: { type: 'string' },
	aspect: { type: 'string', multiple: true },
	fault: { type: 'string', multiple: true },
	python: { type: 'string' },
	crew: { type: 'string' },
	entry: { type: 'string' },
	parallel: { type: 'string' },
	queue: { type: 'string' },
	keep: { type: 'string' },
	'max-tokens': { type: 'string' },
	'memory-limit': { type: 'string' },
	storage: { type: 'string' },
	limit: { type: 'string' },
	drain: { type: 'string' },
	played: { type: 'boolean' },
	simulate: { type: 'boolean' },
	data: { type: 'string' },
	'no-data': { type: 'boolean' },
	fsync: { type: 'boolean' },
	database: { type: 'string' },
	deployment: { type: 'string' },
	'fleet-parallel': { type: 'string' },
	log: { type: 'string', default: 'text' },
	'log-level': { type: 'string', default: 'info' },
	version: { type: 'boolean', short: 'v' },
	help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Reads the command line.
 *
 * @throws {Error} saying what can be given instead
 */
export function readCommandLine(args: string[]): Choice {
	const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
	if (values.help) return { show: 'help' };
	if (values.version) return { show: 'version' };
	const isCheck = positionals[0] === 'check';
	const crews = isCheck ? positionals.slice(1) : positionals;
	if (crews.length > 1) {
		throw new Error(`Only one crew can be started at a time, not ${crews.join(' and ')}.`);
	}
	if (isCheck && crews.length === 0) {
		throw new Error(`Name the project to check: ${COMMAND} check path/to/project.`);
	}
	const log = {
		format: oneOf('--log', LOG_FORMATS, values.log),
		level: oneOf('--log-level', LOG_LEVELS, values['log-level']),
	};
	refuseContradictions(values);
	refuseEmpty(values);
	const start = startOf(values, crews[0]);
	if (isCheck) return { check: start };
	if (log.format === 'json' && values['no-data'] && start.accessToken === undefined) {
		throw new Error('A JSON log has no tokens: give one with --token, or leave out --no-data.');
	}
	return { start: { ...start, log } };
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function startOf(values: Values, crew: string | undefined): CrewServerOptions {
	return {
		crew,
		port: values.port === undefined ? DEFAULT_PORT : parsePort(values.port),
		host: values.host,
		publicHosts: values['public-host'],
		accessToken: values.token ?? (process.env[TOKEN_VARIABLES[0]] || undefined),
		userAccessToken: values['user-token'] ?? (process.env[TOKEN_VARIABLES[1]] || undefined),
		dialect: values.dialect === undefined ? undefined : parseDialect(values.dialect),
		aspects: (values.aspect ?? [])
			.map(parseAspect)
			.reduce<Partial<Aspects>>((all, one) => ({ ...all, ...one }), {}),
		faults: (values.fault ?? []).flatMap(parseFaults),
		played: values.played,
		simulate: values.simulate,
		project: {
			python: values.python,
			crewName: values.crew,
			entry: values.entry,
			parallel: parsePositive('--parallel', values.parallel, Number.isInteger),
			limit: parseMinutes('--limit', values.limit),
			maxTokens: parsePositive('--max-tokens', values['max-tokens'], Number.isInteger),
			memoryLimit: parsePositive('--memory-limit', values['memory-limit'], Number.isInteger),
			sharedStorage: values.storage,
		},
		dataFolder: values['no-data'] ? undefined : (values.data ?? defaultDataFolder(crew)),
		fsync: values.fsync,
		drain: (parseMinutes('--drain', values.drain) ?? 0) * 60_000,
		queue: parsePositive('--queue', values.queue, Number.isInteger),
		retention: values.keep === undefined ? undefined : { age: parseAge(values.keep) },
		database: databaseOf(values, crew),
	};
}

/** The variable for an address with the password, which other users of the machine would see in a command. */
const DATABASE_VARIABLE = 'CREW_SERVER_DATABASE';

function databaseOf(
	{ database, deployment, 'fleet-parallel': parallel }: Values,
	crew = 'research',
): CrewServerOptions['database'] {
	const url = withHost(database ?? process.env[DATABASE_VARIABLE] ?? '');
	if (url === '') {
		const [option] = [deployment && '--deployment', parallel && '--fleet-parallel'].filter(Boolean);
		if (option === undefined) return undefined;
		throw new Error(`${option} is for servers that share a database: give --database as well.`);
	}
	// The password ends at the first of these characters, and its rest would be reported as a host name.
	if (/^[^/]*\/\/[^/?#]*[/?#].*@/.test(url)) {
		throw new Error(
			'The address of the database has an @ behind its host. In the password, write / as %2F, ? as %3F, # as %23.',
		);
	}
	if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url) || new URL(url).host.includes(',')) {
		throw new Error(
			'--database takes an address such as postgres://user@host:5432/name, with one host.',
		);
	}
	if (database !== undefined && passwordsIn(url).length > 0) {
		throw new Error(
			`Other users of this machine would see the password: give the whole address in ${DATABASE_VARIABLE}, or only the password in PGPASSWORD.`,
		);
	}
	return {
		url,
		deployment: deployment ?? basename(resolve(crew)),
		fleetParallel: parsePositive('--fleet-parallel', parallel, Number.isInteger),
	};
}

/** As psql does, takes an address without a host if `host` among its parameters is the folder of a socket. */
function withHost(url: string): string {
	return url.replace(/^(postgres(?:ql)?:\/\/[^/?#@]*@)(?=\/.*[?&]host=)/, '$1localhost');
}

/** Variables for the tokens, since other users of the machine would see them in a command. */
const TOKEN_VARIABLES = ['CREW_SERVER_TOKEN', 'CREW_SERVER_USER_TOKEN'] as const;

const CONTRADICTIONS = [
	['data', 'no-data'],
	['database', 'data'],
	['database', 'no-data'],
] as const;

function refuseContradictions(values: Values): void {
	const both = CONTRADICTIONS.find((options) => options.every((one) => values[one] !== undefined));
	if (both) throw new Error(`--${both[0]} and --${both[1]} contradict each other: leave one out.`);
}

/** An option is empty if it has a variable that is not set: an empty host would be every address of the machine. */
function refuseEmpty(values: Values): void {
	const [option] = Object.entries(values).find(([, value]) => value === '') ?? [];
	if (option !== undefined) throw new Error(`--${option} is empty: give a value, or leave it out.`);
}

const MILLISECONDS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseAge(text: string): number {
	const [, count, unit = ''] = /^([1-9]\d*)([mhd])$/.exec(text) ?? [];
	if (count !== undefined) return Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
	throw new Error(
		`--keep cannot be "${text}": give minutes, hours or days, such as 90m, 12h or 30d.`,
	);
}

function oneOf<Word extends string>(
	option: string,
	words: readonly Word[],
	given: string | undefined,
): Word {
	const word = words.find((one) => one === given);
	if (word !== undefined) return word;
	throw new Error(`${option} cannot be "${given ?? ''}": give ${words.join(' or ')}.`);
}

/** Each crew has its own folder, so that it does not find the executions of another. */
function defaultDataFolder(crew = 'research'): string {
	const name = basename(resolve(crew)).replace(/[^\w.-]/g, '_');
	const isBuiltIn = BUILT_IN_CREWS.some((one) => one === crew);
	const mark = createHash('sha256').update(resolve(crew)).digest('hex').slice(0, 8);
	return join(DATA_FOLDER, isBuiltIn ? name : `${name}-${mark}`);
}

function parsePort(text: string): number {
	const port = Number(text);
	if (/^\d+$/.test(text) && port <= 65_535) return port;
	throw new Error(`The port cannot be "${text}": give a number from 0 to 65535.`);
}

function parseMinutes(option: string, text: string | undefined): number | undefined {
	const fits = (minutes: number) => minutes <= LONGEST_LIMIT;
	return parsePositive(option, text, fits, `, up to ${LONGEST_LIMIT}`);
}

function parsePositive(
	option: string,
	text: string | undefined,
	fits: (number: number) => boolean,
	most = '',
): number | undefined {
	if (text === undefined) return undefined;
	const number = Number(text);
	if (text.trim() !== '' && fits(number) && number > 0) return number;
	const kind = fits === Number.isInteger ? 'whole number' : 'number';
	throw new Error(`${option} cannot be "${text}": give a ${kind} above 0${most}.`);
}
