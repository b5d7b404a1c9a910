/** `text` as a URL, by itself or below `base`; `undefined` if it is not one. */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** `url` with more query parameters, except `undefined` ones; existing ones stay as they are. */
export function withQuery(
	url: string,
	parameters: Record<string, string | number | undefined>,
): string {
	const extended = new URL(url);
	for (const [name, value] of Object.entries(parameters)) {
		if (value !== undefined) extended.searchParams.set(name, String(value));
	}
	return extended.href;
}

/** Whether a redirect leads to another path: a proxy keeps the path, and changes http to https. */
export function leadsElsewhere(url: string, location: unknown): boolean {
	const target = typeof location === 'string' ? parseUrl(location, url) : undefined;
	return target?.pathname !== new URL(url).pathname;
}

/** URL parsers skip the slashes and take what follows as the host, but not all parsers do. */
const HAS_NO_HOST = /^https?:\/\/[/?#]/i;
const HAS_USER = /^https?:\/\/[^/?#]*@/i;

const EXAMPLE = 'e.g. https://my-crew.example.com';

/**
 * Reads the base URL of a deployed crew as people paste it: spaces around it and slashes at its end
 * are dropped, a path prefix stays.
 *
 * @returns the URL without a slash at its end
 * @throws Error if the text cannot be used; its message is for the person who typed it
 */
export function readBaseUrl(text: unknown): string {
	const trimmed = typeof text === 'string' ? text.trim() : '';
	if (trimmed === '')
		throw new Error(`The base URL is empty: enter the crew's address, ${EXAMPLE}`);
	// URL parsers silently drop these, and the request would go to a different address.
	if (/[\s\\\p{Cc}]/u.test(trimmed)) {
		throw new Error('The base URL contains a space, a line break or a backslash: remove it');
	}
	if (!/^https?:\/\//i.test(trimmed)) {
		throw new Error(`The base URL must start with https:// or http://, ${EXAMPLE}`);
	}
	const parsed = parseUrl(trimmed);
	if (!parsed || HAS_NO_HOST.test(trimmed))
		throw new Error(`The base URL is not a web address, ${EXAMPLE}`);
	if (HAS_USER.test(trimmed)) {
		throw new Error(
			'The base URL contains a user name: remove it, the access token has its own field',
		);
	}
	if (/[?#]/.test(trimmed)) {
		throw new Error(
			'The base URL contains a query or a fragment: remove the part from "?" or "#" on',
		);
	}
	return parsed.origin + parsed.pathname.replace(/(?<!\/)\/+$/, '');
}

/**
 * Why `text` cannot be given to a crew as a callback URL, or `undefined` if it can: absolute,
 * http or https, no user name or password inside.
 */
export function callbackUrlProblem(text: string): string | undefined {
	const isWhole = /^https?:\/\//i.test(text) && !/[\s\\\p{Cc}]/u.test(text);
	if (!isWhole || HAS_NO_HOST.test(text) || !parseUrl(text)) {
		return 'it must be a whole address that starts with https:// or http://';
	}
	if (HAS_USER.test(text)) return 'it must not contain a user name or a password';
	return undefined;
}

/** A callback URL as it is sent: as it was typed, or converted to ASCII, since a URI allows nothing else. */
export function asciiUrl(text: string): string {
	return /[^\x21-\x7e]/.test(text) ? (parseUrl(text)?.href ?? text) : text;
}
