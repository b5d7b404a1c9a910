import { run, type Sql } from './sql';
import { LEASE_TIME } from './store';

/** What tells servers apart that share a database. */
export interface ServerIdentity {
	/** The version of the project that it runs. */
	project?: string;
}

/** Milliseconds for which a server that is gone is kept. */
const KEPT = 24 * 3_600_000;

/** The table of the servers that share a database. */
export class ServerTable {
	constructor(readonly own: ServerIdentity | undefined) {}

	/** Notes that a server is there, and takes work; or that it takes no more. */
	*note(worker: string, takesMore: boolean): Sql<void> {
		if (!this.own) return;
		if (!takesMore) {
			yield* run('DELETE FROM servers WHERE worker = $1', worker);
			return;
		}
		yield* run(
			`INSERT INTO servers (worker, project, alive_until) VALUES ($1, $2, :now + $3)
			ON CONFLICT (worker) DO UPDATE SET alive_until = excluded.alive_until`,
			worker,
			this.own.project ?? null,
			LEASE_TIME,
		);
		yield* run('DELETE FROM servers WHERE alive_until < :now - $1', KEPT);
	}
}

/**
 * The condition that a server may work on an execution: both have the same version of the project, or no server with the
 * execution's version is left.
 *
 * @param own the placeholder of the server's version
 */
export const fitsProject = (own: string) =>
	`(project IS NULL OR project = ${own} OR NOT EXISTS (
		SELECT 1 FROM servers WHERE servers.project = executions.project AND alive_until > :now
	))`;
