const PLACEHOLDER = /\{([A-Za-z_][\w-]*)\}/g;

/** Names of the `{placeholders}` in a text, each once, in the order of their first appearance. */
export function placeholdersOf(text: string): string[] {
	return [...new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''))];
}

/**
 * The texts of values in a template: lists and objects as JSON, and a missing value as nothing. Each is made once, and only
 * on demand.
 *
 * @param shorten shortens each text (default: it stays as it is)
 */
export function textsOf(
	values: Readonly<Record<string, unknown>>,
	shorten = (text: string) => text,
): (name: string) => string {
	const texts = new Map<string, string>();
	return (name) => {
		const text =
			texts.get(name) ?? shorten(asText(Object.hasOwn(values, name) ? values[name] : ''));
		texts.set(name, text);
		return text;
	};
}

function asText(value: unknown): string {
	if (value === undefined || value === null) return '';
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Fills `{name}` with the text of that name. Braces around anything but a name, as in JSON, are left alone. */
export function fillTemplate(text: string, textOf: (name: string) => string): string {
	return text.replace(PLACEHOLDER, (_placeholder, name: string) => textOf(name));
}
