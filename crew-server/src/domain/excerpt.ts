/** How many characters of a text are kept if it is not a result. */
const MOST_CHARACTERS = 100_000;

/** A copy of some JSON in which long texts are cut off, with their length in the place of the rest. */
export function excerpt<Value>(value: Value): Value {
	return excerptOf(value) as Value;
}

function excerptOf(value: unknown): unknown {
	if (typeof value === 'string') return beginningOf(value);
	if (Array.isArray(value)) return value.map(excerptOf);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, excerptOf(one)]));
}

function beginningOf(text: string): string {
	if (text.length <= MOST_CHARACTERS) return text;
	// A surrogate pair is not cut in half.
	const beginning = text.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
	return `${beginning}… (${text.length} characters)`;
}
