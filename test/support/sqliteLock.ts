import { once } from 'node:events';
import { join } from 'node:path';
import execa from 'execa';
import { ensureN8n } from '../../sandbox/src/n8n-install';

/**
 * Locks n8n's SQLite database against writers, as a backup or a slow disk does; n8n itself gives up a write after one
 * second. Comes back when it is locked.
 *
 * @returns whether it is locked still, and what comes back when it is not
 */
export async function lockSqlite(
	home: string,
	milliseconds: number,
): Promise<{ isHeld: () => boolean; released: Promise<void> }> {
	const { node } = await ensureN8n({ log: () => undefined });
	const file = join(home, '.n8n', 'database.sqlite');
	const script = join(__dirname, 'lockSqlite.cjs');
	const child = execa(node, ['--no-warnings', script, file, String(milliseconds)]);
	let isHeld = true;
	const released = child.then(() => {
		isHeld = false;
	});
	await Promise.race([once(child.stdout!, 'data'), released]);
	return { isHeld: () => isHeld, released };
}
