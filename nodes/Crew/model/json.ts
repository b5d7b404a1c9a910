/** A JSON object from outside that the model has not read yet. */
export type JsonRecord = Record<string, unknown>;

/** Whether `value` is a JSON object: neither an array nor `null`. */
export function isRecord(value: unknown): value is JsonRecord {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property `name` of a JSON object; inherited ones such as `constructor` do not count. */
export function own(record: unknown, name: string): unknown {
	return isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The first of the named own properties that is text with something in it. */
export function firstText(record: unknown, ...names: string[]): string | undefined {
	return names
		.map((name) => own(record, name))
		.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

/**
 * The first of the named own properties that can be an ID: text with something in it, or a whole
 * number. A number beyond 2^53 has already lost digits, and does not count.
 */
export function firstId(record: unknown, ...names: string[]): string | undefined {
	for (const name of names) {
		const value = own(record, name);
		if (typeof value === 'string' && value.trim() !== '') return value.trim();
		if (Number.isSafeInteger(value)) return String(value);
	}
	return undefined;
}

/** No crew nests its answers deeper; n8n and other recursive code would fail at such a value. */
const DEEPEST = 500;

/** Counts brackets and commas. A few megabytes of nothing else take a parser minutes. */
const MOST_VALUES = 1_000_000;

/** The value of `text` as JSON; `undefined` if it is not JSON, or too much to read. */
export function parseJson(text: string): unknown {
	if (isTooMuchText(text)) return undefined;
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		return undefined;
	}
}

/**
 * Whether JSON text is nested deeper than 500 levels or has more than a million values. Only scans
 * the text, since a parser would build everything before it could be counted.
 */
export function isTooMuchText(text: string): boolean {
	let depth = 0;
	let values = 1;
	for (let index = 0; index < text.length; index++) {
		const character = text[index];
		if (character === '"') index = endOfString(text, index);
		const isOpening = character === '{' || character === '[';
		if (isOpening) depth++;
		if (character === '}' || character === ']') depth--;
		if (isOpening || character === ',') values++;
		if (depth > DEEPEST || values > MOST_VALUES) return true;
	}
	return false;
}

/** The index of the quote that ends the string beginning at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
	let end = start;
	for (;;) {
		end = text.indexOf('"', end + 1);
		if (end < 0) return text.length;
		let backslashes = 0;
		while (text[end - 1 - backslashes] === '\\') backslashes++;
		if (backslashes % 2 === 0) return end;
	}
}

/**
 * `value` if it is an object or array, or the one in its JSON text. A bare JSON number, word or
 * string is prose for a crew, and does not count as JSON.
 */
export function structured(value: unknown): JsonRecord | unknown[] | undefined {
	if (isRecord(value) || Array.isArray(value)) return value;
	if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return undefined;
	const parsed = parseJson(value);
	return isRecord(parsed) || Array.isArray(parsed) ? parsed : undefined;
}

/** Text as it is, anything else as JSON; `undefined` if there is nothing, or it cannot become JSON. */
export function asText(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'string') return value;
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}

/** Whether a switch is on: n8n takes any text as on, and nothing as off, if an expression gives it. */
export function isOn(value: unknown, fallback: boolean): boolean {
	const word = asText(value)?.trim().toLowerCase() ?? '';
	return word === '' ? fallback : !['false', 'no', '0'].includes(word);
}

/** A copy of `record` without the entries that are `undefined`. */
export function defined<T extends object>(record: T): T {
	return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
