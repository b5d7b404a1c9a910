import { manifestOf, type TestedVersion } from '../../../sandbox/src/n8n-versions';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/src/sandbox';

/** Which n8n this run is about: a project of `jest.config.js` each. */
declare const testedVersion: TestedVersion;

/** The describe block around all tests: what the table of versions is made from. */
export const versionTitle: string = testedVersion;

/** Starts this run's n8n. */
export async function startTestedSandbox(options: SandboxOptions): Promise<Sandbox> {
	return await startSandbox({
		...options,
		// With a pool, n8n 1.x writes the status of an execution and its data at once, as later ones always do.
		env: { DB_SQLITE_POOL_SIZE: '3' },
		manifest: manifestOf(testedVersion),
	});
}
