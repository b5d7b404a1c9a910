import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The two tokens of a deployment. */
export interface Tokens {
	accessToken: string;
	userAccessToken: string;
}

/**
 * The tokens of a deployment: those given, else those of the last time if a folder keeps them,
 * else random ones. Clients that are set up once go on working after a restart.
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
	// A file that is not written cannot be lost to a full disk.
	if (dataFolder !== undefined && !isKept) {
		mkdirSync(dataFolder, { recursive: true });
		writeFileSync(join(dataFolder, 'tokens.json'), JSON.stringify(tokens), { mode: 0o600 });
	}
	return tokens;
}

/** A short one can be guessed, and is a part of too many words to be kept out of the log. */
export function refuseUnsendable(token: string): void {
	if (/^[\x21-\x7e]{8,}$/.test(token)) return;
	throw new Error(
		'A token needs at least 8 characters, and only letters, digits and signs of ASCII, without spaces.',
	);
}

/** The user's token would reach everything. */
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

/** One that nobody can guess. */
export function newToken(): string {
	return randomBytes(24).toString('base64url');
}
