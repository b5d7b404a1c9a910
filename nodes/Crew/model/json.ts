/** What the wire holds before the model has read it. */
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
	for (const name of names) {
		const value = own(record, name);
		if (typeof value === 'string' && value.trim() !== '') return value;
	}
	return undefined;
}

/**
 * The first of the named own properties that can be an ID: text with something in it, or a whole
 * number. A number beyond 2^53 has already lost digits, and is none.
 */
export function firstId(record: unknown, ...names: string[]): string | undefined {
	for (const name of names) {
		const value = own(record, name);
		if (typeof value === 'string' && value.trim() !== '') return value.trim();
		if (Number.isSafeInteger(value)) return String(value);
	}
	return undefined;
}

/** No crew nests its answers deeper; n8n and others that recurse would fall over such a value. */
const DEEPEST = 500;

/** The value that `text` holds as JSON, or `undefined` where it holds none, or one nested too deep. */
export function parseJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
		return isTooDeep(value) ? undefined : value;
	} catch {
		return undefined;
	}
}

/**
 * Whether a JSON value is nested deeper than {@link parseJson} reads. Goes down level by level, since
 * recursion is what deep nesting ends.
 */
export function isTooDeep(value: unknown): boolean {
	let level = [value].filter(isNested);
	for (let depth = 0; level.length > 0; depth++) {
		if (depth === DEEPEST) return true;
		level = level.flatMap((outer) => Object.values(outer).filter(isNested));
	}
	return false;
}

function isNested(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

/**
 * The object or array that `value` is, or holds as JSON text. Text that is a bare JSON number, word
 * or string is prose for a crew, and counts as no JSON.
 */
export function structured(value: unknown): JsonRecord | unknown[] | undefined {
	if (isRecord(value) || Array.isArray(value)) return value;
	if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return undefined;
	const parsed = parseJson(value);
	return isRecord(parsed) || Array.isArray(parsed) ? parsed : undefined;
}

/** Text as it is, anything else as JSON; `undefined` where there is nothing, or no JSON can be made. */
export function asText(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'string') return value;
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}

/** A copy of `record` without the entries that are `undefined`. */
export function defined<T extends object>(record: T): T {
	return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
