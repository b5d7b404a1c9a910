import { run, type Sql } from './sql';
import { LEASE_TIME } from './store';

/** How servers that share a database differ. */
export interface ServerIdentity {
	/** The version of the project that it runs. */
	project?: string;
	/** The machine with the files of its executions, unless all servers share them. */
	machine?: string;
}

/** Milliseconds for which the row of a server that is gone is kept. */
const KEPT = 24 * 3_600_000;

/** The table of the servers that share a database. */
export class ServerTable {
	constructor(readonly own: ServerIdentity | undefined) {}

	/** Records that a server is running, and whether it accepts more work. */
	*note(worker: string, takesMore: boolean): Sql<void> {
		if (!this.own) return;
		if (!takesMore) {
			yield* run('DELETE FROM servers WHERE worker = $1', worker);
			return;
		}
		yield* run(
			`INSERT INTO servers (worker, project, machine, alive_until) VALUES ($1, $2, $3, :now + $4)
			ON CONFLICT (worker) DO UPDATE SET alive_until = excluded.alive_until`,
			worker,
			this.own.project ?? null,
			this.own.machine ?? null,
			LEASE_TIME,
		);
		yield* run('DELETE FROM servers WHERE alive_until < :now - $1', KEPT);
	}
}

/** The servers with an execution's version of the project. */
const SERVERS_WITH_PROJECT = `SELECT 1 FROM servers
	WHERE alive_until > :now AND servers.project = executions.project`;

/**
 * The condition that a server may work on an execution: it has the execution's version of the project, or no such server
 * is left; and it is on the machine that has the execution's files, or no such server is left there.
 *
 * @param project the placeholder of the server's version
 * @param machine the placeholder of the machine that has its files
 */
export const fitsServer = (project: string, machine: string) =>
	`(project IS NULL OR project = ${project} OR NOT EXISTS (${SERVERS_WITH_PROJECT}))
	AND (machine IS NULL OR machine = ${machine} OR NOT EXISTS (
		${SERVERS_WITH_PROJECT} AND servers.machine = executions.machine
	))`;
