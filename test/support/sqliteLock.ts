import { once } from 'node:events';
import { join } from 'node:path';
import execa from 'execa';
import { ensureN8n } from '../../sandbox/src/n8n-install';

/**
 * Locks n8n's SQLite database against writers, like a backup or a slow disk; n8n gives up a write after one second.
 * Resolves when it is locked.
 *
 * @returns whether it is still locked, and a promise for the end of the lock
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

const RUN_SQL = "new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec(process.argv[2])";

/**
 * Makes n8n's SQLite database refuse to store that this execution is running if that is stored already: n8n stores it
 * twice, and then continues. Resolves when it is so.
 *
 * @returns ends that
 */
export async function failAfterClaim(
	home: string,
	executionId: string,
): Promise<() => Promise<void>> {
	const { node } = await ensureN8n({ log: () => undefined });
	const file = join(home, '.n8n', 'database.sqlite');
	const run = async (sql: string) => {
		await execa(node, ['--no-warnings', '--eval', RUN_SQL, file, sql]);
	};
	await run(
		`CREATE TRIGGER fail_after_claim BEFORE UPDATE OF status ON execution_entity
		WHEN OLD.id = ${executionId} AND OLD.status = 'running' AND NEW.status = 'running'
		BEGIN SELECT RAISE(ABORT, 'n8n cannot write'); END`,
	);
	return async () => {
		await run('DROP TRIGGER fail_after_claim');
	};
}
