import { createHmac, timingSafeEqual } from 'node:crypto';
import { digest } from '../api/digest';
import type { CallbackKind } from '../model/callback';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The part of a Crew Trigger's URL that identifies it: its path without n8n's prefix, which differs
 * between the test and the production URL, and behind proxies. A trigger without its own ID is
 * identified by its workflow and its name.
 */
function triggerId(triggerUrl: string): string {
	const segments = new URL(triggerUrl).pathname.split('/').filter(Boolean);
	const hasOwnId = UUID.test(segments.at(-2) ?? '');
	const [first = '', ...rest] = segments.slice(hasOwnId ? -2 : -3);
	return [first.replace(/-test$/, ''), ...rest].join('/');
}

/**
 * The token that opens one trigger for one kind of callback: HMAC-SHA256 of the callback secret over
 * both, as base64url. It does not reveal the secret, and each kind and trigger needs its own.
 */
export function tokenFor(secret: string, kind: CallbackKind, triggerUrl: string): string {
	return createHmac('sha256', secret)
		.update(JSON.stringify(['n8n-nodes-crew', kind, triggerId(triggerUrl)]))
		.digest('base64url');
}

/** Compares in a time that does not depend on how the two differ, nor on their lengths. */
export function isSameToken(given: string, expected: string): boolean {
	return timingSafeEqual(Buffer.from(digest(given)), Buffer.from(digest(expected)));
}
