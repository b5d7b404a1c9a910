import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../crew-server/src';
import { storeCrewCredential } from './crew-credential';
import { usualDialect } from './crew-dialect';
import { KnownSecrets } from './leaks/known-secrets';
import { searchHomeAtEnd } from './leaks/search';
import { N8nApi } from './n8n-api';
import type { StoredCredential } from './n8n-types';
import { prepareHome } from './n8n-home';
import { ensureN8n } from './n8n-install';
import { N8nProcess } from './n8n-process';
import { loginFor, N8nSession, type Login } from './n8n-session';
import { usePackage, type PackedPackage } from './packed-package';
import { findFreePort } from './ports';
import { Teardown, type Stoppable } from './teardown';

export interface SandboxOptions {
	/** n8n's data folder, kept afterwards; without it a new one that `stop` removes. */
	home?: string;
	/** n8n's port; a free one by default. */
	port?: number;
	/** Settings of n8n in addition to the sandbox's own. */
	env?: Record<string, string>;
	/** Options for n8n's Node. */
	nodeOptions?: string[];
	/** How the crew server behaves; its port is a free one by default. */
	crew?: CrewServerOptions;
	/** The folder of `sandbox/n8n/` for a version of n8n; the newest by default. */
	manifest?: string;
	/** A package that is already packed; by default, it is built and packed from the clone. */
	packed?: PackedPackage;
	/** Collects the steps that end the sandbox; give your own to be able to end it while it is starting. */
	teardown?: Teardown;
	log?: (line: string) => void;
}

/** A real n8n with this package installed, a crew server, and a credential for it. */
export interface Sandbox extends Stoppable {
	url: string;
	home: string;
	login: Login;
	api: N8nApi;
	n8n: N8nProcess;
	crew: CrewServer;
	credential: StoredCredential;
	/** What must not be in n8n's home when the sandbox ends; otherwise, `stop` rejects. */
	secrets: KnownSecrets;
}

/** Starts everything on loopback. If a step fails, everything started before it is ended. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const teardown = options.teardown ?? new Teardown();
	return teardown.guard(async () => {
		const parts = await startParts(options, teardown);
		return { ...parts, credential: await storeCrewCredential(parts.api, parts.crew) };
	});
}

/** The same, but without a credential in n8n. */
export async function startWithoutCredential(
	options: SandboxOptions = {},
): Promise<Omit<Sandbox, 'credential'>> {
	const teardown = options.teardown ?? new Teardown();
	return teardown.guard(() => startParts(options, teardown));
}

async function startParts(
	options: SandboxOptions,
	teardown: Teardown,
): Promise<Omit<Sandbox, 'credential' | keyof Stoppable>> {
	const log = options.log ?? (() => undefined);
	const install = await ensureN8n({ manifest: options.manifest, log });
	log('Building and packing n8n-nodes-crew ...');
	const packed = await usePackage(options.packed, teardown);
	const home = await prepareHome(packed, teardown, options.home);
	const secrets = new KnownSecrets();
	// A kept home can have secrets of earlier runs.
	if (options.home === undefined) searchHomeAtEnd(teardown, home, install, secrets);

	log('Starting the crew server ...');
	const crew = await startCrewServer({ simulate: true, dialect: usualDialect(), ...options.crew });
	teardown.add(() => crew.close());
	secrets.noteCrew(crew);

	log(`Starting n8n ${install.version} ...`);
	const n8n = new N8nProcess({
		install,
		home,
		port: options.port ?? (await findFreePort()),
		brokerPort: await findFreePort(),
		env: options.env,
		nodeOptions: options.nodeOptions,
	});
	teardown.add(() => n8n.stop());
	await n8n.start();

	const login = await loginFor(home);
	const api = new N8nApi(await N8nSession.signIn(n8n.url, login, secrets));
	return { url: n8n.url, home, login, api, n8n, crew, secrets };
}
