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
