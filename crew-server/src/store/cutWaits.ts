import { run, type Sql } from './sql';
import { LEASE_TIME } from './store';

/** If the clock was set back, everything that waits for a time waits at most its full length from now on. */
export function* cutWaits(): Sql<void> {
	yield* run(
		`UPDATE callbacks SET next_at = :now + delay
		WHERE state IN ('due', 'claimed') AND next_at > :now AND next_at > :now + delay`,
	);
	yield* run(
		`UPDATE executions SET lease_until = :now + $1
		WHERE state = 'running' AND lease_until > :now + $1`,
		LEASE_TIME,
	);
	yield* run(
		'UPDATE servers SET alive_until = :now + $1 WHERE alive_until > :now + $1',
		LEASE_TIME,
	);
}
