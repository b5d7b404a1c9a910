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
	/** Who does the work, in the place of `crew`; the deployment closes it. */
	engine?: Engine;
	/** Whether the texts of a CrewAI project are played, rather than its crew run with CrewAI. */
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
	/** A user's token, which reaches only what was started with it (default: the same). */
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
	/** Milliseconds in which running tasks may reach their end before the command ends on a signal; default 0. */
	drain?: number;
	/** A folder that keeps executions, due callbacks and tokens beyond the process (default: none). */
	dataFolder?: string;
	/** A database of PostgreSQL that keeps executions, due callbacks and tokens, for any number of servers. */
	database?: DatabaseSettings;
	/** Whether a commit is on the disk before it is told of, so that not even a power cut loses it. */
	fsync?: boolean;
	/** How callbacks are sent. */
	delivery?: Partial<DeliverySettings>;
	/** How many ended executions are kept. */
	retention?: Partial<RetentionLimits>;
	/** How many executions may wait for their turn; default 1,000. */
	queue?: number;
	/** Bytes of the largest output that a task may have; default 16 MiB. */
	outputLimit?: number;
	/** Bytes of the largest body that is taken; default 5 MiB. */
	bodyLimit?: number;
	/** Milliseconds after which an event stream shows that it is alive; default 15,000. */
	heartbeat?: number;
	/** Where what happens is logged (default: nowhere). Tokens are added to its secrets. */
	log?: Omit<LogSettings, 'secrets'>;
	/** How many requests are remembered; default 1,000. */
	rememberedRequests?: number;
	/** Names under which browsers reach it, beside addresses and those of machines and containers. */
	publicHosts?: readonly string[];
}
