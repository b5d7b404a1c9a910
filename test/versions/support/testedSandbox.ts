import { manifestOf, type TestedVersion } from '../../../sandbox/src/n8n-versions';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/src/sandbox';

/** The version of n8n that this run tests: `jest.config.js` has a project for each. */
declare const testedVersion: TestedVersion;

/** The title of the describe block around all tests, from which the table of versions is made. */
export const versionTitle: string = testedVersion;

/** Starts this run's n8n. */
export async function startTestedSandbox(options: SandboxOptions): Promise<Sandbox> {
	return await startSandbox({
		...options,
		// With a pool, n8n 1.x writes an execution's status and data at the same time, as later versions always do.
		env: { DB_SQLITE_POOL_SIZE: '3' },
		manifest: manifestOf(testedVersion),
	});
}
