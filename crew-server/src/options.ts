import type { Aspects } from './api/aspects';
import type { DeliverySettings } from './delivery/delivery';
import type { LogSettings } from './log';
import type { CrewDefinition } from './simulator/crew/definition';
import type { Dialect } from './simulator/dialects';
import type { Fault } from './simulator/faults/fault';
import type { DatabaseSettings } from './store/postgres/openPostgres';
import type { RetentionLimits } from './store/retention';
import type { CrewaiSettings } from './worker/crewai/crewaiEngine';
import type { Engine } from './worker/engine';

/** How a crew is run. */
export interface CrewServerOptions {
	/** A built-in crew's name, the path of a crew's file or project, or a crew. Default `research`. */
	crew?: string | CrewDefinition;
	/** Does the work instead of `crew`; the deployment closes it. */
	engine?: Engine;
	/** Whether to play the texts of a CrewAI project instead of running it with CrewAI. */
	played?: boolean;
	/** How a CrewAI project is run. */
	project?: Partial<
		Pick<
			CrewaiSettings,
			| 'crewName'
			| 'entry'
			| 'python'
			| 'parallel'
			| 'limit'
			| 'maxTokens'
			| 'memoryLimit'
			| 'sharedStorage'
		>
	>;
	/** Default `127.0.0.1`. */
	host?: string;
	/** Default 0: any free one. */
	port?: number;
	/** The organization's token (default: that of `dataFolder`, or a random one). */
	accessToken?: string;
	/** A user's token, which reaches only what was started with it (default: likewise). */
	userAccessToken?: string;
	/**
	 * Whether there are faults, other dialects and the list of requests, for tests of clients. Played crews have them
	 * by default, other ones only if this is set.
	 */
	simulate?: boolean;
	/** Default `both`. */
	dialect?: Dialect;
	/** What differs from the dialect. */
	aspects?: Partial<Aspects>;
	/** Faults that happen from the start. */
	faults?: ReadonlyArray<string | Fault>;
	/** Milliseconds in which running tasks may end before the command ends on a signal; default 0. */
	drain?: number;
	/** A folder that keeps executions, due callbacks and tokens after the process has ended (default: none). */
	dataFolder?: string;
	/** A PostgreSQL database that keeps executions, due callbacks and tokens, for any number of servers. */
	database?: DatabaseSettings;
	/** Whether a commit is on the disk before anyone is told, so that not even a power cut loses it. */
	fsync?: boolean;
	/** How callbacks are sent. */
	delivery?: Partial<DeliverySettings>;
	/** How many ended executions are kept. */
	retention?: Partial<RetentionLimits>;
	/** How many executions may wait for their turn; default 1,000. */
	queue?: number;
	/** Bytes of the largest output that a task may have; default 16 MiB. */
	outputLimit?: number;
	/** Bytes of the largest body that is accepted; default 5 MiB. */
	bodyLimit?: number;
	/** Milliseconds after which an event stream sends a sign of life; default 15,000. */
	heartbeat?: number;
	/** How to log (default: not at all). Tokens are added to the secrets. */
	log?: Omit<LogSettings, 'secrets'>;
	/** How many requests are remembered; default 1,000. */
	rememberedRequests?: number;
	/** Names under which browsers reach it, besides addresses and names of machines and containers. */
	publicHosts?: readonly string[];
}
