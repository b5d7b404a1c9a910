/** Of what the node reads. */
const DEEPEST = 500;
const MOST_VALUES = 1_000_000;

/**
 * Whether the JSON text of a value is too much for the node, found in another way than the node's own. Works level by
 * level, since recursion fails at deep nesting.
 */
export function isTooMuch(value: unknown): boolean {
	let level = [value].filter(isNested);
	let values = 1;
	for (let depth = 0; level.length > 0; depth++) {
		const inner = level.flatMap((outer): unknown[] => Object.values(outer));
		// Brackets and commas, as in the text.
		values += inner.length + level.length;
		if (depth === DEEPEST || values > MOST_VALUES) return true;
		level = inner.filter(isNested);
	}
	return false;
}

function isNested(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
