const PLACEHOLDER = /\{([A-Za-z_][\w-]*)\}/g;

/** Names of the `{placeholders}` in a text, each once, in the order of their first appearance. */
export function placeholdersOf(text: string): string[] {
	return [...new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''))];
}

/**
 * Fills `{name}` with the value of that name; lists and objects become JSON, and what has no value
 * becomes empty. Braces around anything but a name, as in JSON, are left alone.
 *
 * @param shorten is given each value's text (default: it stays as it is)
 */
export function fillTemplate(
	text: string,
	values: Readonly<Record<string, unknown>>,
	shorten = (value: string) => value,
): string {
	return text.replace(PLACEHOLDER, (_placeholder, name: string) =>
		shorten(asText(Object.hasOwn(values, name) ? values[name] : undefined)),
	);
}

function asText(value: unknown): string {
	if (value === undefined || value === null) return '';
	return typeof value === 'string' ? value : JSON.stringify(value);
}
