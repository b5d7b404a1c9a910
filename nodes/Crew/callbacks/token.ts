import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { CallbackKind } from '../model/callback';

/**
 * The part of a Crew Trigger's URL that is its own: its path without what n8n puts before it, which
 * differs between the test and the production URL, and behind proxies.
 */
function triggerId(triggerUrl: string): string {
	return new URL(triggerUrl).pathname.split('/').filter(Boolean).slice(-2).join('/');
}

/**
 * The token that opens one trigger for one kind of callback: HMAC-SHA256 of the callback secret over
 * both, as base64url. The secret cannot be told from it, and another kind or trigger needs another.
 */
export function tokenFor(secret: string, kind: CallbackKind, triggerUrl: string): string {
	return createHmac('sha256', secret)
		.update(JSON.stringify(['n8n-nodes-crew', kind, triggerId(triggerUrl)]))
		.digest('base64url');
}

/** Compares in a time that tells nothing of where the two differ, nor of their lengths. */
export function isSameToken(given: string, expected: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(given), digest(expected));
}
