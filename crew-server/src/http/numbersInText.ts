import type { CrewInput } from '../crew/description';

/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The inputs of a kickoff, with text such as `"2026"` as the number where the crew expects one: the
 * vendor's own document has all inputs as text, and a list of bare names promises nothing else.
 * Anything else stays as it is, for the schema to judge.
 */
export function withNumbers(given: unknown, expected: readonly CrewInput[]): unknown {
	if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
	const numeric = expected.filter(({ type }) => type === 'number' || type === 'integer');
	const numbers = numeric.flatMap(({ name }) => {
		const value: unknown = Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined;
		const isNumber = typeof value === 'string' && NUMBER.test(value.trim());
		return isNumber ? [[name, Number(value)] as const] : [];
	});
	return { ...given, ...Object.fromEntries(numbers) };
}
