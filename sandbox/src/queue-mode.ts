import { randomBytes } from 'node:crypto';
import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../crew-server/src';
import { storeCrewCredential } from './crew-credential';
import { usualDialect } from './crew-dialect';
import { KnownSecrets } from './leaks/known-secrets';
import { refuseSecrets, searchHomeAtEnd, searchOutput } from './leaks/search';
import { N8nApi } from './n8n-api';
import type { StoredCredential } from './n8n-types';
import { prepareHome } from './n8n-home';
import { ensureN8n } from './n8n-install';
import { N8nProcess, type N8nRole } from './n8n-process';
import { loginFor, N8nSession } from './n8n-session';
import { usePackage, type PackedPackage } from './packed-package';
import { findFreePort } from './ports';
import { startPostgres } from './postgres';
import { startRedis } from './redis';
import { Teardown, type Stoppable } from './teardown';

export interface QueueModeOptions {
	/** How many workers; one by default. */
	workers?: number;
	/** Settings for all of n8n's processes. */
	env?: Record<string, string>;
	crew?: CrewServerOptions;
	packed?: PackedPackage;
	teardown?: Teardown;
	log?: (line: string) => void;
}

/** n8n in queue mode: executions are queued in Redis and run by workers, and webhooks have their own process. */
export interface QueueMode extends Stoppable {
	api: N8nApi;
	main: N8nProcess;
	workers: N8nProcess[];
	webhook: N8nProcess;
	crew: CrewServer;
	credential: StoredCredential;
}

/**
 * Starts n8n in queue mode with Redis, PostgreSQL and a crew server, each on a free loopback port and in its own
 * folder. Needs Debian's packages `redis-server` and `postgresql`.
 */
export async function startQueueMode(options: QueueModeOptions = {}): Promise<QueueMode> {
	const teardown = options.teardown ?? new Teardown();
	return teardown.guard(() => startParts(options, teardown));
}

async function startParts(
	options: QueueModeOptions,
	teardown: Teardown,
): Promise<Omit<QueueMode, keyof Stoppable>> {
	const { workers: workerCount = 1, log = () => undefined } = options;
	const install = await ensureN8n({ log });
	const packed = await usePackage(options.packed, teardown);
	const { crew, secrets } = await startCrew(options, teardown);
	const webhookPort = await findFreePort();
	const env = {
		...(await startStores(teardown, secrets)),
		...queueSettings(webhookPort),
		...options.env,
	};
	const startRole = async (role: N8nRole, port?: number) => {
		log(`Starting n8n's ${role} process ...`);
		const home = await prepareHome(packed, teardown);
		searchHomeAtEnd(teardown, home, install, secrets);
		const n8n = new N8nProcess({
			install,
			role,
			home,
			port: port ?? (await findFreePort()),
			brokerPort: await findFreePort(),
			env,
		});
		teardown.add(() => n8n.stop());
		await n8n.start();
		return n8n;
	};
	// The first process makes the tables that the others need.
	const main = await startRole('start');
	const [webhook, ...workers] = await Promise.all([
		startRole('webhook', webhookPort),
		...Array.from({ length: workerCount }, () => startRole('worker')),
	]);

	const session = await N8nSession.signIn(main.url, await loginFor(main.home), secrets);
	const api = new N8nApi(session, webhook.url);
	const credential = await storeCrewCredential(api, crew);
	return { api, main, workers, webhook, crew, credential };
}

/** Starts the crew server, and notes its tokens as secrets. */
async function startCrew({ crew: settings }: QueueModeOptions, teardown: Teardown) {
	const crew = await startCrewServer({ simulate: true, dialect: usualDialect(), ...settings });
	teardown.add(() => crew.close());
	const secrets = new KnownSecrets();
	secrets.noteCrew(crew);
	return { crew, secrets };
}

/** Starts Redis and PostgreSQL; returns n8n's settings for them. */
async function startStores(
	teardown: Teardown,
	secrets: KnownSecrets,
): Promise<Record<string, string>> {
	const redis = await startRedis();
	teardown.add(() => redis.stop());
	const postgres = await startPostgres();
	teardown.add(() => postgres.stop());
	teardown.add(async () => {
		const { command, env } = postgres.dump;
		refuseSecrets(await searchOutput(command, 'PostgreSQL', secrets, env));
	});
	return {
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: 'postgres',
	};
}

function queueSettings(webhookPort: number): Record<string, string> {
	const webhookUrl = `http://127.0.0.1:${webhookPort}`;
	return {
		EXECUTIONS_MODE: 'queue',
		// Including manual runs, such as "Execute workflow" in the editor.
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		N8N_WEBHOOK_URL: webhookUrl,
		// Its name before n8n 2.
		WEBHOOK_URL: webhookUrl,
	};
}
