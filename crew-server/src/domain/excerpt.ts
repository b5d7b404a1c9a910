/** How many characters of each text are told of what agents, models and tools said to each other. */
const MOST_CHARACTERS = 100_000;

/** The same JSON with the beginning alone of each long text in it, and how long that was. */
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
	// Half of a character that takes two places is none.
	const beginning = text.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
	return `${beginning}… (${text.length} characters)`;
}
