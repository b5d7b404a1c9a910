import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { KnownSecrets } from '../../../sandbox/src/leaks/known-secrets';
import { ensureN8n } from '../../../sandbox/src/n8n-install';
import { N8nSession } from '../../../sandbox/src/n8n-session';
import { startSandbox } from '../../../sandbox/src/sandbox';
import { Teardown } from '../../../sandbox/src/teardown';

interface SharedN8n extends Pick<N8nSession, 'url' | 'cookie'> {
	/** Where the test files leave what they told n8n in confidence: a line each, value and name as JSON. */
	secretsFile: string;
}

/** Carries where the shared n8n is to the test files, which have globals of their own. */
const VARIABLE = 'CREW_SHARED_N8N';

/** Ends the n8n that {@link startSharedN8n} started. */
export const sharedN8nTeardown = new Teardown();

/** Before the tests of the editor: one n8n for all of them, since a start takes longer than most of the files. */
export default async function startSharedN8n(): Promise<void> {
	await ensureN8n();
	const { api, home, secrets } = await startSandbox({ teardown: sharedN8nTeardown });
	const { url, cookie } = api.session;
	// Not in the home, which is looked through for them.
	const secretsFile = `${home}.secrets`;
	await writeFile(secretsFile, '');
	sharedN8nTeardown.add(async () => {
		const lines = (await readFile(secretsFile, 'utf8')).split('\n').filter(Boolean);
		secrets.noteAll(lines.map((line) => JSON.parse(line) as [string, string]));
		await rm(secretsFile);
	});
	process.env[VARIABLE] = JSON.stringify({ url, cookie, secretsFile } satisfies SharedN8n);
}

/** The shared n8n, signed in. When `teardown` runs, what n8n was told in confidence is handed to its search. */
export function sharedN8n(teardown: Teardown): N8nSession {
	const shared = process.env[VARIABLE];
	if (shared === undefined) throw new Error('Only the projects of the editor share an n8n');
	const { url, cookie, secretsFile } = JSON.parse(shared) as SharedN8n;
	const secrets = new KnownSecrets();
	teardown.add(async () => {
		const lines = [...secrets.all()].map((secret) => `${JSON.stringify(secret)}\n`);
		await appendFile(secretsFile, lines.join(''));
	});
	return new N8nSession(url, cookie, secrets);
}
