import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The two tokens of a deployment. */
export interface Tokens {
	accessToken: string;
	userAccessToken: string;
}

/**
 * The tokens of a deployment: the given ones, else those of the last start if a folder keeps them,
 * else random ones. So clients keep working after a restart.
 *
 * @throws {Error} saying what to correct
 */
export function tokensFor(given: Partial<Tokens>, dataFolder?: string): Tokens {
	const kept = dataFolder === undefined ? {} : readTokens(join(dataFolder, 'tokens.json'));
	const tokens = {
		accessToken: given.accessToken ?? kept.accessToken ?? newToken(),
		userAccessToken: given.userAccessToken ?? kept.userAccessToken ?? newToken(),
	};
	for (const token of Object.values(tokens)) refuseUnsendable(token);
	refuseSame(tokens);
	const isKept =
		tokens.accessToken === kept.accessToken && tokens.userAccessToken === kept.userAccessToken;
	// Not written again if nothing has changed: on a full disk, the file could be lost.
	if (dataFolder !== undefined && !isKept) {
		mkdirSync(dataFolder, { recursive: true });
		writeFileSync(join(dataFolder, 'tokens.json'), JSON.stringify(tokens), { mode: 0o600 });
	}
	return tokens;
}

/** Refuses a short token, which can be guessed, and is part of too many words to be hidden in the log. */
export function refuseUnsendable(token: string): void {
	if (/^[\x21-\x7e]{8,}$/.test(token)) return;
	throw new Error(
		'A token needs at least 8 characters, and only letters, digits and signs of ASCII, without spaces.',
	);
}

/** Refuses equal tokens, since the user's would then reach everything. */
export function refuseSame({ accessToken, userAccessToken }: Tokens): void {
	if (accessToken !== userAccessToken) return;
	throw new Error('The two tokens are the same: give --token and --user-token different ones.');
}

function readTokens(file: string): Partial<Tokens> {
	if (!existsSync(file)) return {};
	try {
		const { accessToken, userAccessToken } = JSON.parse(
			readFileSync(file, 'utf8'),
		) as Partial<Tokens>;
		return { accessToken, userAccessToken };
	} catch {
		throw new Error(`${file} cannot be read: correct it, or delete it to get new tokens.`);
	}
}

/** A token that nobody can guess. */
export function newToken(): string {
	return randomBytes(24).toString('base64url');
}
