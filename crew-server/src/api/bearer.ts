import type { FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';

import type { Owner } from '../domain/execution';
import type { Tokens } from '../store/tokens';

/** The owner of the token in an `Authorization` header; `undefined` if it is neither of the two. */
export function ownerOf(authorization: string | undefined, tokens: Tokens): Owner | undefined {
	const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
	// Always compares both, so that the time reveals nothing about either.
	const isOrganisation = isSame(token, tokens.accessToken);
	const isUser = isSame(token, tokens.userAccessToken);
	if (isOrganisation) return 'organisation';
	return isUser ? 'user' : undefined;
}

/** The owner of the token that a request came with. */
export function whoAsks(request: FastifyRequest): Owner {
	return request.getDecorator<Owner>('owner');
}

/** Compares in a time that depends on neither text; hashing makes them equally long. */
function isSame(given: string, expected: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(given), digest(expected));
}
