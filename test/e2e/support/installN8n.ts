import { ensureN8n } from '../../../sandbox/src/n8n-install';

/** Before the first test, so that its minutes and its progress are nobody's test. */
export default async function installN8n(): Promise<void> {
	await ensureN8n();
}
