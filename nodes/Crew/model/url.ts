/** The URL that `text` is, by itself or below `base`, or `undefined`. */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** `url` with further query parameters, without those that are `undefined`; what it has stays as it is. */
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
