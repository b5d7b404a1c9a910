import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { BUILT_IN_CREWS } from './crew/findCrew';
import { parseAspect, parseDialect, type Aspects } from './dialect';
import { parseFaults } from './faults/fault';
import type { CrewServerOptions } from './crewServer';

/** Where the crew server listens unless told otherwise. */
export const DEFAULT_PORT = 8321;

export const USAGE = `Usage: npm run crew -- [crew] [options]

Deploys a crew on this machine and prints its URL and its tokens.

  crew                    research (default), reviewed-article, or the path of a crew's YAML file
                          or the folder of a CrewAI project, whose crew is run with CrewAI

  --port <number>         port to listen on (default ${DEFAULT_PORT}; 0 takes any free one)
  --host <address>        address to listen on (default 127.0.0.1: this machine only)
  --token <text>          the organisation's access token (default: that of the last time, or a random one)
  --user-token <text>     a user's access token (default: that of the last time, or a random one)
  --dialect <name>        both (default): each status path its own; or documented or queue alone
  --aspect <name=value>   one aspect that differs from the dialect; can be given many times
  --fault <fault>         kind[=value][@where][+after][*times], see the README; can be given many times
  --python <path>         the Python that the project runs on (default: its .venv, then VIRTUAL_ENV)
  --crew <name>           the crew of a project that has several
  --parallel <number>     how many executions of a project are worked on at once (default: by cores and memory)
  --limit <minutes>       ends the work on an execution of a project after so long (default: never)
  --played                plays the texts of a project, without Python and without a model
  --data <folder>         where executions are kept (default: a folder of the crew in crew-server/.data)
  --no-data               keep nothing beyond the process
  --help                  this text
`;

const OPTIONS = {
	port: { type: 'string' },
	host: { type: 'string' },
	token: { type: 'string' },
	'user-token': { type: 'string' },
	dialect: { type: 'string' },
	aspect: { type: 'string', multiple: true },
	fault: { type: 'string', multiple: true },
	python: { type: 'string' },
	crew: { type: 'string' },
	parallel: { type: 'string' },
	limit: { type: 'string' },
	played: { type: 'boolean' },
	data: { type: 'string' },
	'no-data': { type: 'boolean' },
	help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Reads the command line.
 *
 * @returns what to start, or `help` where only the usage is asked for
 * @throws {Error} saying what can be given instead
 */
export function readCommandLine(args: string[]): CrewServerOptions | 'help' {
	const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
	if (values.help) return 'help';
	if (positionals.length > 1) {
		throw new Error(`One crew at a time can be started, not ${positionals.join(' and ')}.`);
	}
	return {
		crew: positionals[0],
		port: values.port === undefined ? DEFAULT_PORT : parsePort(values.port),
		host: values.host,
		accessToken: values.token,
		userAccessToken: values['user-token'],
		dialect: values.dialect === undefined ? undefined : parseDialect(values.dialect),
		aspects: (values.aspect ?? [])
			.map(parseAspect)
			.reduce<Partial<Aspects>>((all, one) => ({ ...all, ...one }), {}),
		faults: (values.fault ?? []).flatMap(parseFaults),
		played: values.played,
		project: {
			python: values.python,
			crewName: values.crew,
			parallel: parsePositive('--parallel', values.parallel, Number.isInteger),
			limit: parsePositive('--limit', values.limit, Number.isFinite),
		},
		dataFolder: values['no-data'] ? undefined : (values.data ?? defaultDataFolder(positionals[0])),
	};
}

/** Each crew has a folder of its own, so that one does not find the executions of another. */
function defaultDataFolder(crew = 'research'): string {
	const name = basename(crew).replace(/[^\w.-]/g, '_');
	const isBuiltIn = BUILT_IN_CREWS.some((one) => one === crew);
	const mark = createHash('sha256').update(resolve(crew)).digest('hex').slice(0, 8);
	return join(__dirname, '..', '.data', isBuiltIn ? name : `${name}-${mark}`);
}

function parsePort(text: string): number {
	const port = Number(text);
	if (/^\d+$/.test(text) && port <= 65_535) return port;
	throw new Error(`The port cannot be "${text}": give a number from 0 to 65535.`);
}

function parsePositive(
	option: string,
	text: string | undefined,
	fits: (number: number) => boolean,
): number | undefined {
	if (text === undefined) return undefined;
	const number = Number(text);
	if (text.trim() !== '' && fits(number) && number > 0) return number;
	throw new Error(`${option} cannot be "${text}": give a number above 0.`);
}
