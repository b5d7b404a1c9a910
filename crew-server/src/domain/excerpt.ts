/** How many characters of a text are kept if it is not a result, and of all texts of a value. */
const MOST_CHARACTERS = 100_000;
const MOST_IN_ALL = 500_000;

/** What stands at the end of a text that was cut off. */
const CUT_OFF = /… \((\d+) characters\)$/;
const LONGEST_MARK = 40;

/** The same JSON with long texts cut off; a copy if there are any. */
export function excerpt<Value>(value: Value): Value {
	return hasLongText(value, { left: MOST_IN_ALL })
		? (excerptOf(value, { left: MOST_IN_ALL }) as Value)
		: value;
}

/** The first characters of a text, and how many it had before it was cut off for the first time. */
export function cutOff(text: string, most: number): string {
	const length = CUT_OFF.exec(text.slice(-LONGEST_MARK))?.[1] ?? text.length;
	// A surrogate pair is not cut in half.
	const beginning = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
	return `${beginning}… (${length} characters)`;
}

/** @param room characters that all texts may still have */
function hasLongText(value: unknown, room: { left: number }): boolean {
	if (typeof value === 'string') {
		room.left -= value.length;
		return value.length > MOST_CHARACTERS || room.left < 0;
	}
	if (typeof value !== 'object' || value === null) return false;
	// With tens of thousands of fields, three times as fast as a list of their values.
	for (const name in value) {
		if (hasLongText((value as Record<string, unknown>)[name], room)) return true;
	}
	return false;
}

function excerptOf(value: unknown, room: { left: number }): unknown {
	if (typeof value === 'string') {
		// A text that is shorter than the mark at its end is not cut off.
		const most = Math.max(LONGEST_MARK, Math.min(MOST_CHARACTERS, room.left));
		room.left -= Math.min(most, value.length);
		return value.length > most ? cutOff(value, most) : value;
	}
	if (Array.isArray(value)) return value.map((one) => excerptOf(one, room));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, one]) => [name, excerptOf(one, room)]),
	);
}
