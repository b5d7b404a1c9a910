import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { isLoopback, probe, urlOf } from './address';
import { buildServer } from './api/server';
import { DEFAULT_DELIVERY, Delivery } from './delivery/delivery';
import type { CrewDescription } from './domain/crew';
import { statusOf, type Execution, type Status } from './domain/execution';
import { KeptLines } from './keptLines';
import { noLog, openLog, type Log } from './log';
import { Metrics } from './metrics';
import type { CrewServerOptions } from './options';
import { page } from './page/page';
import { aspectsOf } from './simulator/dialects';
import type { Fault } from './simulator/faults/fault';
import type { RequestRecord } from './simulator/http/requestLog';
import { simulate, type Simulator } from './simulator/simulator';
import { findWork, machineOf, startEngine, versionOf, type FoundWork } from './startEngine';
import { NewFolder } from './store/newFolder';
import { openStore } from './store/openStore';
import { addressOf, secretsOf } from './store/postgres/openPostgres';
import { sharedTokens } from './store/postgres/sharedTokens';
import type { CallbackRecord, Store } from './store/store';
import { tokensFor, type Tokens } from './store/tokens';
import type { Engine } from './worker/engine';
import { Worker } from './worker/worker';

/** An execution with the state that clients see. */
export interface ExecutionView extends Omit<Execution, 'state'> {
	readonly state: Status;
}

/** A crew that runs on this machine. */
export interface CrewServer {
	/** The base URL, without a slash at its end. */
	readonly url: string;
	readonly accessToken: string;
	readonly userAccessToken: string;
	/** The crew that it runs. */
	readonly crew: CrewDescription;
	/** How many executions have been kicked off since the start. */
	started(): number;
	/** The newest executions, in the order of their kickoff: 1,000, or as many as are kept if that is set to more. */
	executions(): Promise<readonly ExecutionView[]>;
	/** Every request that was received, oldest first; the newest 1,000. None unless it simulates. */
	requests(): readonly RequestRecord[];
	/** As many of the newest callbacks, each with its outcome, oldest first. */
	callbacks(): Promise<readonly CallbackRecord[]>;
	/**
	 * Replaces the planned faults, each given as a {@link Fault} or as `kind[=value][@where][+after][*times]`; an empty list
	 * removes all.
	 *
	 * @throws {Error} saying what can be given, or that it does not simulate
	 */
	setFaults(faults: ReadonlyArray<string | Fault>): void;
	/** The log for what happens to the process. */
	readonly log: Log;
	/**
	 * Starts nothing more, and lets running tasks end: the rest of their executions is left to other servers, or to the next
	 * start. Requests are still answered.
	 *
	 * @param most milliseconds after which it resolves at the latest
	 */
	drain(most: number): Promise<void>;
	/** Stops listening, and interrupts running executions and callbacks: they continue at the next start. */
	close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

/** How many executions may wait: as many as a day's work may bring at once. */
const QUEUE = 1_000;

/** How many executions and callbacks the handle lists at least. */
const NEWEST = 1_000;

/**
 * Deploys a crew on this machine.
 *
 * @throws {BrokenFileError} if the crew's file is none
 * @throws {Error} with the code `EADDRINUSE` if the port is taken
 */
export async function startCrewServer(options: CrewServerOptions = {}): Promise<CrewServer> {
	const { host = '127.0.0.1', port = 0, dataFolder } = options;
	const found = findWork(options);
	const isSimulated = options.simulate ?? 'definition' in found;
	if (!isSimulated) refuseSimulation(options);
	await probe(host, port);
	// With a database, a server that starts at the same time may have made it, and goes on.
	const folder = new NewFolder(options.database ? undefined : dataFolder);
	const ends: Ends = [];
	const close = async () => {
		for (const end of ends.splice(0).reverse()) await end();
	};
	try {
		const parts = await assemble(found, isSimulated, options, ends);
		await parts.server.listen({ host, port });
		parts.worker.start();
		parts.delivery.start();
		folder.keep();
		const newest = Math.max(NEWEST, options.retention?.executions ?? 0);
		const url = urlOf(parts.server.server.address() as AddressInfo);
		return { url, close, drain: drainOf(parts), ...handles(parts, newest) };
	} catch (error) {
		await close();
		folder.remove();
		throw error;
	}
}

function drainOf({ worker }: Parts): CrewServer['drain'] {
	return async (most) => {
		const late = new AbortController();
		const timer = sleep(most, undefined, { signal: late.signal }).catch(() => undefined);
		await Promise.race([worker.drain(), timer]);
		late.abort();
	};
}

/** What to close, the last first. */
type Ends = Array<() => Promise<void>>;

/** What the HTTP side and the handles need. */
interface Parts {
	store: Store;
	tokens: Tokens;
	log: Log;
	lines: KeptLines;
	simulator: Simulator | undefined;
	crew: CrewDescription;
	engine: Engine;
	worker: Worker;
	count: { started: number };
}

/** Connects the parts, without starting any work. */
async function assemble(
	found: FoundWork,
	isSimulated: boolean,
	options: CrewServerOptions,
	ends: Ends,
) {
	let log = noLog;
	const kept = await storeOf(found, options, (message) => {
		log.warn({}, message);
	});
	ends.push(() => kept.close());
	const tokens = options.database
		? await sharedTokens(options, addressOf(options.database))
		: tokensFor(options, options.dataFolder);
	const secrets = [tokens.accessToken, tokens.userAccessToken, ...secretsOf(options.database)];
	const lines = new KeptLines();
	log = openLog({ ...options.log, secrets }, (facts) => {
		lines.add(facts);
	});
	const simulator = isSimulated ? simulatorOf(kept, options) : undefined;
	const store = simulator?.store ?? kept;
	const settings = { ...DEFAULT_DELIVERY, ...options.delivery };
	const delivery = new Delivery({ store, log, settings, sender: simulator?.sender });
	ends.push(() => delivery.close());
	const engine = await startEngine(found, simulator, secrets, log, options);
	ends.push(() => engine.close());
	const worker = new Worker({ store, engine, log });
	ends.push(() => worker.close());
	const outside = { tokens, log, lines, simulator, crew: engine.crew, count: { started: 0 } };
	const parts = { ...outside, store, engine, worker };
	const server = serverOf(parts, options);
	ends.push(() => endConnections(server));
	return { ...parts, delivery, server };
}

function storeOf(
	found: FoundWork,
	options: CrewServerOptions,
	log: (message: string) => void,
): Promise<Store> {
	return openStore({
		folder: options.dataFolder,
		database: options.database,
		server: options.database && {
			project: versionOf(found, options),
			machine: machineOf(found, options),
		},
		synchronous: options.fsync ? 'FULL' : 'NORMAL',
		retention: options.retention,
		log,
	});
}

function simulatorOf(store: Store, options: CrewServerOptions): Simulator {
	const { faults, host = '127.0.0.1', rememberedRequests: remembered } = options;
	return simulate({ store, faults, takesHeader: isLoopback(host), remembered });
}

function serverOf(
	{ count, simulator, engine, worker, ...parts }: Parts,
	options: CrewServerOptions,
): FastifyInstance {
	const aspects = aspectsOf(options.dialect ?? 'both', options.aspects);
	return buildServer({
		...parts,
		aspects,
		onKickoff: () => {
			count.started += 1;
		},
		workProblem: () => engine.problem,
		isDraining: () => worker.isDraining,
		metrics: new Metrics(parts.store, () => worker.usage),
		queue: options.queue ?? QUEUE,
		around: [
			page({ ...parts, aspects, requests: simulator }),
			...(simulator ? [simulator.recorder] : []),
		],
		inside: simulator ? [simulator.plugin] : [],
		publicHosts: options.publicHosts ?? [],
		bodyLimit: options.bodyLimit ?? 5 * MEBIBYTE,
		heartbeat: options.heartbeat ?? 15_000,
	});
}

function handles({ store, tokens, log, simulator, crew, count }: Parts, newest: number) {
	return {
		...tokens,
		crew,
		log,
		started: () => count.started,
		executions: async () => {
			const executions = await store.list(newest);
			return executions
				.reverse()
				.map((execution) => ({ ...execution, state: statusOf(execution) }));
		},
		callbacks: () => store.callbacks(newest),
		requests: () => simulator?.requests() ?? [],
		setFaults: (faults: ReadonlyArray<string | Fault>) => {
			if (!simulator) throw new Error(NOT_SIMULATED('Faults'));
			simulator.plan.set(faults);
		},
	};
}

const NOT_SIMULATED = (what: string) =>
	`${what} are for tests of clients: give --simulate as well, or play the crew with --played.`;

function refuseSimulation({ faults = [], dialect = 'both' }: CrewServerOptions): void {
	if (faults.length > 0) throw new Error(NOT_SIMULATED('Faults'));
	if (dialect !== 'both') throw new Error(NOT_SIMULATED('Dialects'));
}

/** Milliseconds in which open requests can still be answered before the end. */
const LAST_ANSWERS = 1_000;

async function endConnections(server: FastifyInstance): Promise<void> {
	const late = setTimeout(() => {
		server.server.closeAllConnections();
	}, LAST_ANSWERS);
	await server.close();
	clearTimeout(late);
}
