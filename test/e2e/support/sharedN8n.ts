import { ensureN8n } from '../../../sandbox/src/n8n-install';
import { N8nSession } from '../../../sandbox/src/n8n-session';
import { startSandbox } from '../../../sandbox/src/sandbox';
import { Teardown } from '../../../sandbox/src/teardown';

type SharedN8n = Pick<N8nSession, 'url' | 'cookie'>;

/** Carries where the shared n8n is to the test files, which have globals of their own. */
const VARIABLE = 'CREW_SHARED_N8N';

/** Ends the n8n that {@link startSharedN8n} started. */
export const sharedN8nTeardown = new Teardown();

/** Before the tests of the editor: one n8n for all of them, since a start takes longer than most of the files. */
export default async function startSharedN8n(): Promise<void> {
	await ensureN8n();
	const { api } = await startSandbox({ teardown: sharedN8nTeardown });
	const { url, cookie } = api.session;
	process.env[VARIABLE] = JSON.stringify({ url, cookie } satisfies SharedN8n);
}

/** The shared n8n, signed in. */
export function sharedN8n(): N8nSession {
	const shared = process.env[VARIABLE];
	if (shared === undefined) throw new Error('Only the projects of the editor share an n8n');
	const { url, cookie } = JSON.parse(shared) as SharedN8n;
	return new N8nSession(url, cookie);
}
