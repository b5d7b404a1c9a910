import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import type { CallbackRecord } from './callbacks/callback';
import { DEFAULT_DELIVERY, Deliveries, type DeliverySettings } from './callbacks/deliveries';
import type { CrewDefinition } from './crew/definition';
import { findCrew } from './crew/findCrew';
import { aspectsOf, type Aspects, type Dialect } from './dialect';
import { Executions } from './executions/executions';
import type { ExecutionRecord } from './executions/record';
import { scriptedWorker } from './executions/scriptedWorker';
import { RequestLog, type RequestRecord } from './http/requestLog';
import { buildServer } from './http/server';

export interface LocalCrewOptions {
	/** A built-in crew's name, the path of a crew's file, or a crew. Default `research`. */
	crew?: string | CrewDefinition;
	/** Default `127.0.0.1`. */
	host?: string;
	/** Default 0: any free one. */
	port?: number;
	/** The organisation's token; random unless given. */
	accessToken?: string;
	/** A user's token, which reaches only what was started with it; random unless given. */
	userAccessToken?: string;
	/** Default `documented`. */
	dialect?: Dialect;
	/** What differs from the dialect. */
	aspects?: Partial<Aspects>;
	/** How callbacks are sent. */
	delivery?: Partial<DeliverySettings>;
	/** Bytes of the largest body that is taken; default 5 MiB. */
	bodyLimit?: number;
	/** How many requests are remembered; default 1,000. */
	rememberedRequests?: number;
}

/** A crew that is deployed on this machine. */
export interface LocalCrew {
	/** The base URL, without a slash at its end. */
	readonly url: string;
	readonly accessToken: string;
	readonly userAccessToken: string;
	/** The crew that is deployed. */
	readonly crew: CrewDefinition;
	/** Copies of all executions, in the order of their kickoff. */
	executions(): readonly ExecutionRecord[];
	/** Every request that was received, oldest first; the newest 1,000. */
	requests(): readonly RequestRecord[];
	/** Every callback with what became of it, oldest first; the newest 1,000. */
	callbacks(): readonly CallbackRecord[];
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
export async function startLocalCrew(options: LocalCrewOptions = {}): Promise<LocalCrew> {
	const { crew: chosen = 'research', host = '127.0.0.1', port = 0 } = options;
	const crew = typeof chosen === 'string' ? findCrew(chosen) : chosen;
	const tokens = {
		accessToken: options.accessToken ?? newToken(),
		userAccessToken: options.userAccessToken ?? newToken(),
	};
	const deliveries = new Deliveries({ ...DEFAULT_DELIVERY, ...options.delivery });
	const executions = new Executions(crew, scriptedWorker, deliveries);
	const log = new RequestLog(options.rememberedRequests ?? 1_000);
	const server = buildServer({
		crew,
		aspects: aspectsOf(options.dialect ?? 'documented', options.aspects),
		executions,
		tokens,
		log,
		bodyLimit: options.bodyLimit ?? 5 * MEBIBYTE,
	});
	await server.listen({ host, port });
	return {
		url: urlOf(server.server.address() as AddressInfo),
		...tokens,
		crew,
		executions: () => executions.all(),
		requests: () => log.all(),
		callbacks: () => deliveries.records(),
		close: async () => {
			await server.close();
			await executions.close();
			await deliveries.close();
		},
	};
}

function newToken(): string {
	return randomBytes(24).toString('base64url');
}

function urlOf({ address, family, port }: AddressInfo): string {
	return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
