import { createHash } from 'node:crypto';

/** The SHA-256 of a text, in hex: tells one text from another without keeping it. */
export function digest(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}
