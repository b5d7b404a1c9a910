import { run, type Sql } from './sql';
import { LEASE_TIME } from './store';

/** What tells servers apart that share a database. */
export interface ServerIdentity {
	/** The version of the project that it runs. */
	project?: string;
	/** Where its files are, unless all servers share them. */
	place?: string;
}

/** Milliseconds for which a server that is gone is kept. */
const KEPT = 24 * 3_600_000;

/** The table of the servers that share a database. */
export class ServerTable {
	constructor(readonly own: ServerIdentity | undefined) {}

	/** Notes that a server is there, and takes work; or that it takes no more. */
	*note(worker: string, takesMore: boolean): Sql<void> {
		if (!this.own) return;
		const { project = null, place = null } = this.own;
		if (!takesMore) {
			yield* run('DELETE FROM servers WHERE worker = $1', worker);
			return;
		}
		yield* run(
			`INSERT INTO servers (worker, project, place, alive_until) VALUES ($1, $2, $3, :now + $4)
			ON CONFLICT (worker) DO UPDATE SET alive_until = excluded.alive_until`,
			worker,
			project,
			place,
			LEASE_TIME,
		);
		yield* run('DELETE FROM servers WHERE alive_until < :now - $1', KEPT);
	}
}

/** That an execution is not for others: those with its project, or with its files, are gone. */
export const isForAnybody = (column: 'project' | 'place', own: string) =>
	`(${column} IS NULL OR ${column} = ${own} OR NOT EXISTS (
		SELECT 1 FROM servers WHERE servers.${column} = executions.${column} AND alive_until > :now
	))`;
