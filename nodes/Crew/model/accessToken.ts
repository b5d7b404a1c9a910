import { asText } from './json';

const COPY =
	'copy it from the Status tab of the crew’s dashboard, or from what the crew server printed';

/**
 * Reads an access token as people paste it: spaces around it and the word `Bearer` before it are
 * dropped.
 *
 * @throws Error if the text cannot be sent as a token; its message is for the person who typed it
 */
export function readAccessToken(text: unknown): string {
	const token = typeof text === 'string' ? text.trim().replace(/^bearer\s+/i, '') : '';
	if (token === '') throw new Error(`The access token is empty: ${COPY}`);
	if (/[^\x21-\x7e]/.test(token)) {
		throw new Error(
			`The access token contains a character that no token has, such as a space or a line break: ${COPY}`,
		);
	}
	return token;
}

/** The callback secret as text. @throws Error if its expression gives nothing: then anybody could call. */
export function readSecret(secret: unknown): string {
	const text = asText(secret);
	if (text !== undefined) return text;
	throw new Error('The callback secret of the Crew API credential has no value');
}
