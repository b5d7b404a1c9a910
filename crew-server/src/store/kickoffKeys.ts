import { get, run, type Sql } from './sql';
import type { KickoffKey } from './store';

/** Milliseconds for which a key is kept. */
export const KEPT_KEYS = 24 * 3_600_000;

/** The table of keys by which repeated kickoffs are recognized. */
export class KickoffKeys {
	/** Keeps the key of a new execution. @returns the earlier kickoff with this key, if there is one */
	*take(
		{ key, digest }: KickoffKey,
		kickoffId: string,
	): Sql<{ kickoffId: string } | 'other_body' | undefined> {
		yield* run('DELETE FROM kickoff_keys WHERE kept_until <= :now');
		const isNew = yield* run(
			`INSERT INTO kickoff_keys (key, digest, kickoff_id, kept_until) VALUES ($1, $2, $3, :now + $4)
			ON CONFLICT DO NOTHING`,
			key,
			digest,
			kickoffId,
			KEPT_KEYS,
		);
		if (isNew > 0) return undefined;
		const known = (yield* get(
			'SELECT digest, kickoff_id FROM kickoff_keys WHERE key = $1',
			key,
		)) as {
			digest: string;
			kickoff_id: string;
		};
		return known.digest === digest ? { kickoffId: known.kickoff_id } : 'other_body';
	}
}
