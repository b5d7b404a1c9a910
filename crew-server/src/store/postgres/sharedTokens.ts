import { newToken, refuseSame, refuseUnsendable, type Tokens } from '../tokens';
import { Connection, type Address } from './connection';

/**
 * The tokens of a deployment on several machines: the given ones, else those in the database, else random ones. All
 * servers have the same tokens.
 *
 * @throws {Error} saying what to correct
 */
export async function sharedTokens(given: Partial<Tokens>, address: Address): Promise<Tokens> {
	const connection = new Connection(address);
	try {
		const client = await connection.open();
		const one = async (name: keyof Tokens): Promise<string> => {
			const { [name]: wanted } = given;
			if (wanted !== undefined) refuseUnsendable(wanted);
			const { rows } = await client.query<{ value: string }>(
				`INSERT INTO tokens (name, value) VALUES ($1, $2)
				ON CONFLICT (name) DO UPDATE SET value = COALESCE($3, tokens.value) RETURNING value`,
				[name, wanted ?? newToken(), wanted ?? null],
			);
			return rows[0]?.value ?? '';
		};
		// A start that is refused must leave the others their tokens: without a commit, nothing is kept.
		await client.query('BEGIN');
		const tokens = {
			accessToken: await one('accessToken'),
			userAccessToken: await one('userAccessToken'),
		};
		refuseSame(tokens);
		await client.query('COMMIT');
		return tokens;
	} finally {
		await connection.close();
	}
}
