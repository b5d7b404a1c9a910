/** The deepest levels of lists and objects that are accepted: Python reads only about a thousand, Node.js writes a few thousand. */
const DEEPEST = 500;

/**
 * What is too large in a JSON text, if anything. Found without parsing it, which takes seconds if it is deep or has millions
 * of values.
 *
 * @param mostValues how many values in lists and objects are allowed
 * @param deepest how many levels of lists and objects are allowed
 */
export function excessOf(text: string, mostValues: number, deepest = DEEPEST): string | undefined {
	let depth = 0;
	let values = 1;
	for (let index = 0; index < text.length; index++) {
		const sign = text[index];
		if (sign === '"') {
			index = endOfText(text, index);
			if (index === -1) return undefined;
		} else if (sign === ',') values += 1;
		else if (sign === '[' || sign === '{') depth += 1;
		else if (sign === ']' || sign === '}') depth -= 1;
		if (depth > deepest) return `${deepest} levels`;
		if (values > mostValues) return `${mostValues} values`;
	}
	return undefined;
}

/** Where the string that begins at `start` ends, which may have millions of characters; -1 if it does not end. */
function endOfText(text: string, start: number): number {
	let end = start;
	do {
		end = text.indexOf('"', end + 1);
	} while (end !== -1 && isEscaped(text, end));
	return end;
}

function isEscaped(text: string, at: number): boolean {
	let backslashes = 0;
	while (text[at - 1 - backslashes] === '\\') backslashes += 1;
	return backslashes % 2 === 1;
}

/** An output as an object or a list, else `null`. */
export function jsonOf({
	output = '',
	outputJson,
}: {
	readonly output?: string;
	readonly outputJson?: unknown;
}): unknown {
	return outputJson ?? outputAsJson(output);
}

/** The object or list in an output that is JSON, else `null`; also `null` if it could not be written again. */
function outputAsJson(output: string): unknown {
	if (!/^\s*[[{]/.test(output) || excessOf(output, Infinity) !== undefined) return null;
	try {
		return JSON.parse(output) as unknown;
	} catch {
		return null;
	}
}
