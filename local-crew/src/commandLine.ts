import { parseArgs } from 'node:util';

import { parseAspect, parseDialect, type Aspects } from './dialect';
import type { LocalCrewOptions } from './localCrew';

/** Where the local crew listens unless told otherwise. */
export const DEFAULT_PORT = 8321;

export const USAGE = `Usage: npm run crew -- [crew] [options]

Deploys a crew on this machine and prints its URL and its tokens.

  crew                    research (default), reviewed-article, or the path of a crew's YAML file

  --port <number>         port to listen on (default ${DEFAULT_PORT}; 0 takes any free one)
  --host <address>        address to listen on (default 127.0.0.1: this machine only)
  --token <text>          the organisation's access token (default: a random one)
  --user-token <text>     a user's access token (default: a random one)
  --dialect <name>        documented (default) or queue
  --aspect <name=value>   one aspect that differs from the dialect; can be given many times
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
	};
}

function parsePort(text: string): number {
	const port = Number(text);
	if (/^\d+$/.test(text) && port <= 65_535) return port;
	throw new Error(`The port cannot be "${text}": give a number from 0 to 65535.`);
}
