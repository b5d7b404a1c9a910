import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';

import type { CallbackRecord } from './callbacks/callback';
import { DEFAULT_DELIVERY, Deliveries, type DeliverySettings } from './callbacks/deliveries';
import type { CrewDefinition } from './crew/definition';
import { findCrew } from './crew/findCrew';
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
import { buildServer } from './http/server';
import { ChangeSignal } from './page/changeSignal';
import { FolderJournal, type Journal } from './store/journal';
import { MemoryJournal } from './store/memoryJournal';
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
	/** Ends executions and callbacks that are under way, and stops listening. */
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
	const plan = new FaultPlan();
	plan.set(options.faults ?? []);
	const { accessToken, userAccessToken } = options;
	const journal = dataFolder
		? await FolderJournal.open(join(dataFolder, 'executions'))
		: new MemoryJournal();
	let close = () => journal.close();
	try {
		const tokens = tokensFor({ accessToken, userAccessToken }, dataFolder);
		const engine = options.engine ?? (await startEngine(plan, tokens, options));
		close = async () => {
			await journal.close();
			await engine.close();
		};
		const parts = assemble(engine, journal, plan, options);
		const server = buildServer({
			...parts,
			crew: engine.crew,
			plan,
			tokens,
			aspects: aspectsOf(options.dialect ?? 'both', options.aspects),
			takesFaultHeader: isLoopback(host),
			bodyLimit: options.bodyLimit ?? 5 * MEBIBYTE,
			heartbeat: options.heartbeat ?? 15_000,
		});
		const running = handles({ ...parts, plan, server });
		({ close } = running);
		const left = await journal.load();
		await server.listen({ host, port });
		parts.executions.takeUp(left.executions);
		parts.deliveries.send(left.callbacks);
		const url = urlOf(server.server.address() as AddressInfo);
		return { url, ...tokens, crew: engine.crew, ...running };
	} catch (error) {
		await close();
		throw error;
	}
}

type Parts = ReturnType<typeof assemble>;

function handles({
	executions,
	engine,
	log,
	deliveries,
	journal,
	plan,
	server,
}: Parts & { plan: FaultPlan; server: FastifyInstance }) {
	return {
		started: () => executions.started,
		executions: () => executions.all(),
		requests: () => log.all(),
		callbacks: () => deliveries.records(),
		setFaults: (faults: ReadonlyArray<string | Fault>) => {
			plan.set(faults);
		},
		close: async () => {
			await server.close();
			await executions.close();
			await engine.close();
			await deliveries.close();
			await journal.close();
		},
	};
}

/** Who does the work on the crew that is to be deployed. */
async function startEngine(
	plan: FaultPlan,
	{ accessToken, userAccessToken }: Tokens,
	options: CrewServerOptions,
): Promise<Engine> {
	const { crew = 'research', played = false, dataFolder } = options;
	const outputLimit = options.outputLimit ?? 16 * MEBIBYTE;
	const found = typeof crew === 'string' ? findCrew(crew, played) : { definition: crew };
	if ('definition' in found) return playedEngine({ crew: found.definition, plan, outputLimit });
	return await startCrewaiEngine({
		...options.project,
		folder: found.folder,
		storage: dataFolder && resolve(dataFolder, 'crewai'),
		withheld: [accessToken, userAccessToken],
		outputLimit,
	});
}

/** Puts together what stands behind the HTTP side. */
function assemble(engine: Engine, journal: Journal, plan: FaultPlan, options: CrewServerOptions) {
	const changes = new ChangeSignal();
	const deliveries = new Deliveries({ ...DEFAULT_DELIVERY, ...options.delivery }, (record) => {
		if (record.fate !== 'due') journal.settle(record.id);
		changes.emit();
	});
	const send = deliveries.send.bind(deliveries);
	const ledger = new Ledger(journal, plan, send, () => {
		changes.emit();
	});
	const executions = new Executions({
		engine,
		ledger,
		journal,
		retention: { ...DEFAULT_RETENTION, ...options.retention },
	});
	const log = new RequestLog(options.rememberedRequests ?? 1_000, () => {
		changes.emit();
	});
	return { changes, journal, deliveries, executions, engine, log };
}

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function urlOf({ address, family, port }: AddressInfo): string {
	return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
