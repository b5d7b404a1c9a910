import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Tokens } from '../http/bearer';

/**
 * The tokens of a deployment: those given, else those of the last time where a folder keeps them,
 * else random ones. Clients that are set up once go on working after a restart.
 */
export function tokensFor(given: Partial<Tokens>, dataFolder?: string): Tokens {
	const kept = dataFolder === undefined ? {} : readTokens(join(dataFolder, 'tokens.json'));
	const tokens = {
		accessToken: given.accessToken ?? kept.accessToken ?? newToken(),
		userAccessToken: given.userAccessToken ?? kept.userAccessToken ?? newToken(),
	};
	if (dataFolder !== undefined) {
		mkdirSync(dataFolder, { recursive: true });
		writeFileSync(join(dataFolder, 'tokens.json'), JSON.stringify(tokens), { mode: 0o600 });
	}
	return tokens;
}

function readTokens(file: string): Partial<Tokens> {
	if (!existsSync(file)) return {};
	try {
		const { accessToken, userAccessToken } = JSON.parse(
			readFileSync(file, 'utf8'),
		) as Partial<Tokens>;
		return { accessToken, userAccessToken };
	} catch {
		throw new Error(`${file} cannot be read: correct it, or delete it to have new tokens made.`);
	}
}

function newToken(): string {
	return randomBytes(24).toString('base64url');
}
