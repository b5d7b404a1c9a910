#!/usr/bin/env node
import { constants } from 'node:os';

import { isLoopback } from './address';
import { check } from './check';
import { readCommandLine, USAGE, type Choice } from './commandLine';
import { startCrewServer, type CrewServer } from './crewServer';
import type { CrewServerOptions } from './options';
import { COMMAND, packageVersion } from './installation';
import { BrokenFileError } from './simulator/crew/yamlCursor';
import { aspectsOf } from './simulator/dialects';
import { welcome } from './welcome';

/** Together, they take three minutes: a client that waits for a callback may be restarting meanwhile. */
const TRIES_OF_AWAITED = 6;

/** The command: starts one deployment and stays until it is told to end. */
async function main(): Promise<void> {
	const choice = readChoice();
	if ('show' in choice) {
		process.stdout.write(choice.show === 'help' ? USAGE : `${packageVersion()}\n`);
		return;
	}
	if ('check' in choice) {
		console.log(await check(choice.check));
		return;
	}
	// The reader of the log may end first.
	for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
	const endsOnSignals = endOnSignals();
	const delivery = { triesOfAwaited: TRIES_OF_AWAITED };
	const crew = await startCrewServer({ ...choice.start, delivery });
	endsOnSignals(crew, choice.start.drain);
	if (choice.start.log?.format === 'json') logStart(crew, choice.start);
	else printStart(crew, choice.start);
}

/** An unknown option has its own exit code. */
function readChoice(): Choice {
	try {
		return readCommandLine(process.argv.slice(2));
	} catch (error) {
		console.error(explain(error));
		process.exit(2);
	}
}

const OPEN_TO_OTHERS =
	'anyone who can reach this machine can reach the crew, and tokens travel over the network unencrypted.';

const FILES_STAY =
	'other machines will not have what tasks write (output_file), memory, knowledge and states of flows (@persist): name a folder that all of them share with --storage.';

function warningsOf(
	{ crew }: CrewServer,
	{ host = '127.0.0.1', database, project }: CrewServerOptions,
): string[] {
	const isPlayed = crew.kind === undefined;
	const filesStay = database && !isPlayed && project?.sharedStorage === undefined;
	return [
		...(crew.warnings ?? []),
		...(filesStay ? [FILES_STAY] : []),
		...(isLoopback(host) ? [] : [OPEN_TO_OTHERS]),
	];
}

function keptIn({ database, dataFolder }: CrewServerOptions): string | undefined {
	return database ? `PostgreSQL, as the deployment ${database.deployment}` : dataFolder;
}

/** A log may be kept, so it has no tokens, but says where they are. */
function logStart(server: CrewServer, options: CrewServerOptions): void {
	server.log.info(
		{
			url: server.url,
			crew: server.crew.name,
			kind: server.crew.kind ?? 'played',
			data: keptIn(options),
			version: packageVersion(),
		},
		'running',
	);
	for (const warning of warningsOf(server, options)) server.log.warn({}, warning);
}

function printStart(server: CrewServer, options: CrewServerOptions): void {
	const { statusPath } = aspectsOf(options.dialect ?? 'both', options.aspects);
	console.log(
		welcome(server, { keptIn: keptIn(options), statusFirst: statusPath === 'status-first' }),
	);
	for (const warning of warningsOf(server, options)) console.warn(`Warning: ${warning}`);
}

/** The most milliseconds for a clean shutdown, once it no longer waits for tasks. */
const LONGEST_END = 4_500;
/** Milliseconds in which a repeated signal is the same one: terminals and npm both pass it on. */
const SAME_SIGNAL = 500;

/**
 * Ends the process on Ctrl-C and similar signals.
 *
 * @returns a function that takes the server to close cleanly from then on
 */
function endOnSignals(): (server: CrewServer, drain?: number) => void {
	let server: CrewServer | undefined;
	let drain = 0;
	let firstAt: number | undefined;
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => {
			if (signal === 'SIGHUP' && !hasTerminal()) {
				server?.log.info({}, 'ignored_hangup');
				return;
			}
			if (!server) process.exit(0);
			if (firstAt === undefined) {
				firstAt = Date.now();
				void endInOrder(server, signal, drain);
			} else if (Date.now() - firstAt > SAME_SIGNAL) {
				process.exit(128 + constants.signals[signal]);
			}
		});
	}
	return (started, most = 0) => {
		server = started;
		drain = most;
	};
}

/** Without a terminal, a hangup is ignored, as with `nohup`: Node.js does not say whether that was used. */
function hasTerminal(): boolean {
	return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}

async function endInOrder(server: CrewServer, signal: string, drain: number): Promise<void> {
	server.log.info({ signal }, 'ending');
	if (drain > 0) await server.drain(drain);
	setTimeout(() => {
		server.log.error({}, 'not_ended_in_time');
		process.exit(1);
	}, LONGEST_END);
	server.close().then(
		() => {
			server.log.info({}, 'ended');
			process.exit(0);
		},
		(error: unknown) => {
			server.log.error({ err: error }, 'not_ended_in_order');
			process.exit(1);
		},
	);
}

function explain(error: unknown): string {
	if (error instanceof BrokenFileError) return error.message;
	if (!(error instanceof Error)) return String(error);
	const code = (error as NodeJS.ErrnoException).code;
	if (code === 'EADDRINUSE') {
		const { port } = error as Error & { port?: number };
		return `Port ${port ?? ''} is in use: stop what listens there, or give another one. ${COMMAND} --port 0 uses any free port.`;
	}
	return `${error.message}\n${COMMAND} --help lists all options.`;
}

main().catch((error: unknown) => {
	console.error(explain(error));
	process.exit(1);
});
