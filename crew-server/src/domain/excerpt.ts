/**
 * How many characters are kept of a text that is not a result, and of all texts of a value together: in JSON, in which
 * a control character takes six.
 */
const MOST_CHARACTERS = 100_000;
const MOST_IN_ALL = 500_000;
/** Shorter texts count as they are. */
const NOTABLE = 1_000;
/** How many characters a value and its quotation marks count for, besides its name. */
const BESIDE_A_NAME = 10;

/** The mark at the end of a text that was cut off. */
const CUT_OFF = /… \((\d+) characters\)$/;
const LONGEST_MARK = 40;

/** How much an excerpt may still have. */
interface Room {
	/** Characters of all texts. */
	texts: number;
	/** Characters of all names; the value of each counts as some more. */
	names: number;
}

const newRoom = (): Room => ({ texts: MOST_IN_ALL, names: MOST_CHARACTERS });

/** The same JSON with long texts cut off, and without the last values if there are too many; a copy if anything changes. */
export function excerpt<Value>(value: Value): Value {
	return isTooMuch(value, newRoom()) ? (excerptOf(value, newRoom()) as Value) : value;
}

/**
 * A text, or the first characters of one that is longer than `most` in JSON, and how many it had before it was cut off for
 * the first time.
 */
export function truncate(text: string, most: number): string {
	if (sizeOf(text, most) <= most) return text;
	const length = CUT_OFF.exec(text.slice(-LONGEST_MARK))?.[1] ?? text.length;
	let beginning = startOf(text, most);
	for (let size = sizeOf(beginning); size > most; size = sizeOf(beginning)) {
		beginning = startOf(beginning, (beginning.length * most) / size);
	}
	return `${beginning}… (${length} characters)`;
}

/** The first characters of a text; no surrogate pair is cut in half. */
function startOf(text: string, most: number): string {
	return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}

/** The characters of a text in JSON, or just its length if it is short, or longer than `most` in any case. */
function sizeOf(text: string, most = Infinity): number {
	return text.length < NOTABLE || text.length > most
		? text.length
		: JSON.stringify(text).length - 2;
}

function isTooMuch(value: unknown, room: Room): boolean {
	if (typeof value === 'string') {
		const size = sizeOf(value, MOST_CHARACTERS);
		room.texts -= size;
		return size > MOST_CHARACTERS || room.texts < 0;
	}
	if (typeof value !== 'object' || value === null) return false;
	// With tens of thousands of fields, this is three times as fast as a list of their values.
	for (const name in value) {
		room.names -= name.length + BESIDE_A_NAME;
		if (room.names < 0 || isTooMuch((value as Record<string, unknown>)[name], room)) return true;
	}
	return false;
}

function excerptOf(value: unknown, room: Room): unknown {
	if (typeof value === 'string') {
		// A text shorter than the mark is not cut off.
		const most = Math.max(LONGEST_MARK, Math.min(MOST_CHARACTERS, room.texts));
		room.texts -= Math.min(most, sizeOf(value, most));
		return truncate(value, most);
	}
	if (typeof value !== 'object' || value === null) return value;
	const some: Array<[string, unknown]> = [];
	for (const name in value) {
		room.names -= name.length + BESIDE_A_NAME;
		if (room.names < 0) {
			some.push(['…', 'and more']);
			break;
		}
		some.push([name, excerptOf((value as Record<string, unknown>)[name], room)]);
	}
	return Array.isArray(value) ? some.map(([, one]) => one) : Object.fromEntries(some);
}
