/** A token that can be sent, or what is wrong with the text. */
export type AccessToken =
	{ token: string; reason?: undefined } | { token?: undefined; reason: string };

const COPY =
	'copy it from the Status tab of the crew’s dashboard, or from what the crew server printed';

/**
 * Reads an access token as people paste it: spaces around it and the word `Bearer` before it are
 * dropped.
 *
 * @returns the `token`, or the `reason` why the text cannot be sent as one, as a sentence for the
 * person who typed it
 */
export function readAccessToken(text: unknown): AccessToken {
	const token = typeof text === 'string' ? text.trim().replace(/^bearer\s+/i, '') : '';
	if (token === '') return { reason: `The access token is empty: ${COPY}` };
	if (/[^\x21-\x7e]/.test(token)) {
		return {
			reason: `The access token contains a character that no token has, such as a space or a line break: ${COPY}`,
		};
	}
	return { token };
}
