import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';

import type { CallbackRecord } from './callbacks/callback';
import { DEFAULT_DELIVERY, Deliveries, type DeliverySettings } from './callbacks/deliveries';
import type { CrewDefinition } from './crew/definition';
import { findCrew, type FoundCrew } from './crew/findCrew';
import type { CrewDescription } from './crew/description';
import { aspectsOf, type Aspects, type Dialect } from './dialect';
import { startCrewaiEngine, type CrewaiSettings } from './engines/crewai/crewaiEngine';
import { playedEngine } from './engines/played/playedEngine';
import type { Engine } from './executions/engine';
import { Executions } from './executions/executions';
import { Ledger } from './executions/ledger';
import type { ExecutionRecord } from './executions/record';
import { DEFAULT_RETENTION, type RetentionLimits } from './executions/retention';
import type { Fault } from './faults/fault';
import { FaultPlan } from './faults/faultPlan';
import { RequestLog, type RequestRecord } from './http/requestLog';
import type { Tokens } from './http/bearer';
import { noLog, openLog, type Log, type LogSettings } from './log';
import { buildServer } from './http/server';
import { ChangeSignal } from './page/changeSignal';
import { FolderJournal, type Journal } from './store/journal';
import { MemoryJournal } from './store/memoryJournal';
import { unlessThere } from './store/newFolder';
import { tokensFor } from './store/tokens';

export interface CrewServerOptions {
	/** A built-in crew's name, the path of a crew's file or project, or a crew. Default `research`. */
	crew?: string | CrewDefinition;
	/** Who does the work, in the place of `crew`; the deployment closes it. */
	engine?: Engine;
	/** Whether the texts of a CrewAI project are played, rather than its crew run with CrewAI. */
	played?: boolean;
	/** How a CrewAI project is run. */
	project?: Partial<Pick<CrewaiSettings, 'crewName' | 'python' | 'parallel' | 'limit'>>;
	/** Default `127.0.0.1`. */
	host?: string;
	/** Default 0: any free one. */
	port?: number;
	/** The organisation's token; unless given that of `dataFolder`, or a random one. */
	accessToken?: string;
	/** A user's token, which reaches only what was started with it; unless given likewise. */
	userAccessToken?: string;
	/** Default `both`. */
	dialect?: Dialect;
	/** What differs from the dialect. */
	aspects?: Partial<Aspects>;
	/** Faults that happen from the start. */
	faults?: ReadonlyArray<string | Fault>;
	/** A folder that keeps executions, due callbacks and tokens beyond the process; none unless given. */
	dataFolder?: string;
	/** How callbacks are sent. */
	delivery?: Partial<DeliverySettings>;
	/** How many ended executions are kept. */
	retention?: Partial<RetentionLimits>;
	/** Bytes of the largest output that a task may have; default 16 MiB. */
	outputLimit?: number;
	/** Bytes of the largest body that is taken; default 5 MiB. */
	bodyLimit?: number;
	/** Milliseconds after which an event stream shows that it is alive; default 15,000. */
	heartbeat?: number;
	/** Where what happens is logged; nowhere unless given. Tokens are added to its secrets. */
	log?: Omit<LogSettings, 'secrets'>;
	/** How many requests are remembered; default 1,000. */
	rememberedRequests?: number;
}

/** A crew that is deployed on this machine. */
export interface CrewServer {
	/** The base URL, without a slash at its end. */
	readonly url: string;
	readonly accessToken: string;
	readonly userAccessToken: string;
	/** The crew that is deployed. */
	readonly crew: CrewDescription;
	/** How many executions have been kicked off since the start. */
	started(): number;
	/** Copies of all executions, in the order of their kickoff; of the ended ones the newest 1,000. */
	executions(): readonly ExecutionRecord[];
	/** Every request that was received, oldest first; the newest 1,000. */
	requests(): readonly RequestRecord[];
	/** Every callback with what became of it, oldest first; the newest 1,000. */
	callbacks(): readonly CallbackRecord[];
	/**
	 * Puts other faults in the place of those that are planned, each as a {@link Fault} or as
	 * `kind[=value][@where][+after][*times]`; an empty list ends all.
	 *
	 * @throws {Error} saying what can be given
	 */
	setFaults(faults: ReadonlyArray<string | Fault>): void;
	/** Takes what happens to the process. */
	readonly log: Log;
	/** Stops listening, and ends executions and callbacks that are under way: they go on at the next start. */
	close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

/**
 * Deploys a crew on this machine.
 *
 * @throws {BrokenFileError} where the crew's file is none
 * @throws {Error} with the code `EADDRINUSE` where the port is taken
 */
export async function startCrewServer(options: CrewServerOptions = {}): Promise<CrewServer> {
	const { host = '127.0.0.1', port = 0, dataFolder } = options;
	const plan = new FaultPlan(options.faults);
	const found = findWork(options);
	await probe(host, port);
	const { journal, undo } = await openJournal(dataFolder);
	let close = () => journal.close();
	try {
		const tokens = tokensFor(options, dataFolder);
		const log = options.log ? openLog({ ...options.log, secrets: Object.values(tokens) }) : noLog;
		const engine = await startEngine(found, plan, tokens, log, options);
		close = async () => {
			await journal.close();
			await engine.close();
		};
		const parts = assemble(engine, journal, plan, log, options);
		const server = buildServer({
			...parts,
			crew: engine.crew,
			plan,
			tokens,
			aspects: aspectsOf(options.dialect ?? 'both', options.aspects),
			takesFaultHeader: isLoopback(host),
			...limitsOf(options),
		});
		const running = handles({ ...parts, plan, server });
		({ close } = running);
		const [due] = await Promise.all([journal.callbacks(), parts.executions.load()]);
		await server.listen({ host, port });
		parts.executions.takeUp();
		parts.deliveries.send(due);
		undo.keep();
		const url = urlOf(server.server.address() as AddressInfo);
		return { url, ...tokens, crew: engine.crew, ...running };
	} catch (error) {
		await close();
		undo.run();
		throw error;
	}
}

async function openJournal(dataFolder: string | undefined) {
	const watchOver = unlessThere(dataFolder);
	const journal: Journal = dataFolder
		? await FolderJournal.open(join(dataFolder, 'executions'))
		: new MemoryJournal();
	return { journal, undo: watchOver() };
}

function limitsOf({ bodyLimit = 5 * MEBIBYTE, heartbeat = 15_000 }: CrewServerOptions) {
	return { bodyLimit, heartbeat };
}

type Parts = ReturnType<typeof assemble>;

function handles({
	executions,
	engine,
	requests,
	deliveries,
	journal,
	log,
	plan,
	server,
}: Parts & { plan: FaultPlan; server: FastifyInstance }) {
	return {
		started: () => executions.started,
		executions: () => executions.all(),
		requests: () => requests.all(),
		callbacks: () => deliveries.records(),
		setFaults: (faults: ReadonlyArray<string | Fault>) => {
			plan.set(faults);
		},
		close: async () => {
			await endConnections(server);
			await executions.close();
			await engine.close();
			await deliveries.close();
			await journal.close();
		},
		log,
	};
}

/** Milliseconds in which requests that are worked on are answered before the end. */
const LAST_ANSWERS = 1_000;

async function endConnections(server: FastifyInstance): Promise<void> {
	const cutOff = setTimeout(() => {
		server.server.closeAllConnections();
	}, LAST_ANSWERS);
	await server.close();
	clearTimeout(cutOff);
}

/** Importing a project takes long: that its port is taken is found out before. */
async function probe(host: string, port: number): Promise<void> {
	if (port === 0) return;
	const server = createServer().listen({ host, port });
	await once(server, 'listening');
	server.close();
	await once(server, 'close');
}

function findWork({
	engine,
	crew = 'research',
	played = false,
}: CrewServerOptions): FoundCrew | Engine {
	if (engine) return engine;
	return typeof crew === 'string' ? findCrew(crew, played) : { definition: crew };
}

/** Who does the work on the crew that is to be deployed. */
async function startEngine(
	found: FoundCrew | Engine,
	plan: FaultPlan,
	{ accessToken, userAccessToken }: Tokens,
	log: Log,
	options: CrewServerOptions,
): Promise<Engine> {
	if ('begin' in found) return found;
	const { dataFolder } = options;
	const outputLimit = options.outputLimit ?? 16 * MEBIBYTE;
	if ('definition' in found) return playedEngine({ crew: found.definition, plan, outputLimit });
	// That takes many seconds, or for ever where the project's own code does.
	log.info({ folder: found.folder }, 'importing');
	return await startCrewaiEngine({
		...options.project,
		folder: found.folder,
		storage: dataFolder && resolve(dataFolder, 'crewai'),
		withheld: [accessToken, userAccessToken],
		outputLimit,
		onPrinted: (lines) => {
			for (const text of lines) log.info({ text }, 'printed');
		},
	});
}

/** Puts together what stands behind the HTTP side. */
function assemble(
	engine: Engine,
	journal: Journal,
	plan: FaultPlan,
	log: Log,
	options: CrewServerOptions,
) {
	const changes = new ChangeSignal();
	const deliveries = new Deliveries({ ...DEFAULT_DELIVERY, ...options.delivery }, (record) => {
		if (record.fate !== 'due') {
			journal.settle(record.id);
			logFate(log, record);
		}
		changes.emit();
	});
	const send = deliveries.send.bind(deliveries);
	const onChange = () => {
		changes.emit();
	};
	const ledger = new Ledger(journal, plan, send, onChange, log);
	const executions = new Executions({
		engine,
		ledger,
		journal,
		log,
		retention: { ...DEFAULT_RETENTION, ...options.retention },
	});
	const requests = new RequestLog(options.rememberedRequests ?? 1_000, onChange);
	return { changes, journal, deliveries, executions, engine, requests, log };
}

/** Of an address only where it leads: the rest may hold a token. */
function logFate(
	log: Log,
	{ kickoffId, kind, url, fate, problem, attempts }: CallbackRecord,
): void {
	const to = URL.canParse(url) ? new URL(url).origin : undefined;
	const facts = { kickoff_id: kickoffId, kind, to, problem, attempts: attempts.length };
	log[fate === 'delivered' ? 'debug' : 'warn'](facts, `callback_${fate}`);
}

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Where clients find it: what listens at all addresses is named by one that others can use, too. */
function urlOf({ address, family, port }: AddressInfo): string {
	if (address === '0.0.0.0' || address === '::') {
		const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
		const outer = all.find((one) => one.family === 'IPv4' && !one.internal);
		return `http://${outer?.address ?? '127.0.0.1'}:${port}`;
	}
	return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
