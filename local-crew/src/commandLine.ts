import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { BUILT_IN_CREWS } from './crew/findCrew';
import { parseAspect, parseDialect, type Aspects } from './dialect';
import type { ModelSettings } from './executions/modelWorker';
import { parseFaults } from './faults/fault';
import type { LocalCrewOptions } from './localCrew';

/** Where the local crew listens unless told otherwise. */
export const DEFAULT_PORT = 8321;

export const USAGE = `Usage: npm run crew -- [crew] [options]

Deploys a crew on this machine and prints its URL and its tokens.

  crew                    research (default), reviewed-article, or the path of a crew's YAML file
                          or of a CrewAI project (with config/agents.yaml and config/tasks.yaml)

  --port <number>         port to listen on (default ${DEFAULT_PORT}; 0 takes any free one)
  --host <address>        address to listen on (default 127.0.0.1: this machine only)
  --token <text>          the organisation's access token (default: that of the last time, or a random one)
  --user-token <text>     a user's access token (default: that of the last time, or a random one)
  --dialect <name>        documented (default) or queue
  --aspect <name=value>   one aspect that differs from the dialect; can be given many times
  --fault <fault>         kind[=value][@where][+after][*times], see the README; can be given many times
  --model-url <url>       an OpenAI-compatible endpoint (up to /v1) whose model works on the tasks;
                          its key is read from the environment variable CREW_MODEL_KEY
  --model <name>          the name of the model there
  --data <folder>         where executions are kept (default: a folder of the crew in local-crew/.data)
  --no-data               keep nothing beyond the process
  --help                  this text
`;

/**
 * Reads the command line.
 *
 * @returns what to start, or `help` where only the usage is asked for
 * @throws {Error} saying what can be given instead
 */
export function readCommandLine(args: string[]): LocalCrewOptions | 'help' {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			port: { type: 'string' },
			host: { type: 'string' },
			token: { type: 'string' },
			'user-token': { type: 'string' },
			dialect: { type: 'string' },
			aspect: { type: 'string', multiple: true },
			fault: { type: 'string', multiple: true },
			'model-url': { type: 'string' },
			model: { type: 'string' },
			data: { type: 'string' },
			'no-data': { type: 'boolean' },
			help: { type: 'boolean', short: 'h' },
		},
	});
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
		model: readModel(values['model-url'], values.model),
		dataFolder: values['no-data'] ? undefined : (values.data ?? defaultDataFolder(positionals[0])),
	};
}

function readModel(url: string | undefined, name: string | undefined): ModelSettings | undefined {
	if (url === undefined && name === undefined) return undefined;
	if (url === undefined || name === undefined) {
		throw new Error('A model needs both --model-url and --model.');
	}
	if (!URL.canParse(url) || !/^https?:/i.test(url)) {
		throw new Error(
			`The model's URL cannot be "${url}": give one such as http://127.0.0.1:11434/v1.`,
		);
	}
	return { url, name, apiKey: process.env['CREW_MODEL_KEY'] };
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
