import { sharedN8nTeardown } from './sharedN8n';

/** After the tests of the editor, also where some did not pass. */
export default async function endSharedN8n(): Promise<void> {
	await sharedN8nTeardown.run();
}
