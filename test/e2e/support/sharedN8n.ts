import { createServer } from 'node:http';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KnownSecrets } from '../../../sandbox/src/leaks/known-secrets';
import { listenOnLoopback } from '../../../sandbox/src/loopback';
import { ensureN8n } from '../../../sandbox/src/n8n-install';
import { N8nSession } from '../../../sandbox/src/n8n-session';
import {
	packCrewServer,
	packPackage,
	type PackedPackage,
} from '../../../sandbox/src/packed-package';
import { startSandbox } from '../../../sandbox/src/sandbox';
import { Teardown } from '../../../sandbox/src/teardown';
import { shownPort } from './pictures';

/** An n8n of {@link shareN8n}, as the test files in jest's workers see it. */
interface SharedN8n extends Pick<N8nSession, 'url' | 'cookie'> {
	home: string;
	logFile: string;
	/** The file in which the test files record the secrets that they gave to n8n: a line each, value and name as JSON. */
	secretsFile: string;
}

/** The variable with the address at which a worker asks for its n8n. */
const VARIABLE = 'CREW_SHARED_N8N';

const teardown = new Teardown();

/**
 * Before the first test: one n8n for each of jest's workers, started when its first test file asks for it. Starting
 * one takes longer than most of the files, and the files of a worker come one after the other.
 */
export default async function shareN8n(): Promise<void> {
	// Outside of any test, since it takes minutes and prints its progress.
	await ensureN8n();
	// Once for all files: of two builds at the same time, one removes what the other packs.
	await packOnce('CREW_TARBALL', packPackage);
	await packOnce('CREW_SERVER_TARBALL', packCrewServer);
	const started = new Map<string, Promise<SharedN8n>>();
	const server = createServer(({ url: worker = '' }, response) => {
		const shared = started.get(worker) ?? start();
		started.set(worker, shared);
		shared.then(
			(one) => response.end(JSON.stringify(one)),
			(error: unknown) => response.writeHead(500).end(String(error)),
		);
	});
	const { url, close } = await listenOnLoopback(server);
	teardown.add(close);
	process.env[VARIABLE] = url;
}

/** After the last test, even if some did not pass. */
export async function endSharedN8n(): Promise<void> {
	await teardown.run();
}

async function packOnce(variable: string, pack: () => Promise<PackedPackage>): Promise<void> {
	const packed = await pack();
	teardown.add(() => packed.remove());
	process.env[variable] = packed.tarball;
}

async function start(): Promise<SharedN8n> {
	const { api, home, n8n, secrets } = await startSandbox({
		teardown,
		port: shownPort(5678),
		// As it will be by default in n8n 3.
		env: { N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' },
	});
	const { url, cookie } = api.session;
	// Not in n8n's home, which is searched for secrets.
	const secretsFile = join(tmpdir(), `${String(n8n.pid)}.secrets`);
	await writeFile(secretsFile, '');
	teardown.add(async () => {
		const lines = (await readFile(secretsFile, 'utf8')).split('\n').filter(Boolean);
		secrets.noteAll(lines.map((line) => JSON.parse(line) as [string, string]));
	});
	return { url, cookie, home, logFile: n8n.logFile, secretsFile };
}

/**
 * The n8n that this test file shares with others. When `teardown` runs, the secrets that n8n got are passed to its search.
 */
export async function sharedN8n(
	teardown: Teardown,
): Promise<Pick<SharedN8n, 'home' | 'logFile'> & { session: N8nSession; secrets: KnownSecrets }> {
	const worker = process.env['JEST_WORKER_ID'] ?? '';
	const answer = await fetch(`${process.env[VARIABLE] ?? ''}/${worker}`);
	if (!answer.ok) throw new Error(await answer.text());
	const { url, cookie, secretsFile, ...shared } = (await answer.json()) as SharedN8n;
	const secrets = new KnownSecrets();
	teardown.add(async () => {
		const lines = [...secrets.all()].map((secret) => `${JSON.stringify(secret)}\n`);
		await appendFile(secretsFile, lines.join(''));
	});
	return { ...shared, session: new N8nSession(url, cookie, secrets), secrets };
}
