import fc, { type Arbitrary } from 'fast-check';

/** The number of cases for each property. */
const CASES = Number(process.env.FUZZ_CASES ?? 60);
/** The same seed each time, so that a rare case does not stop an unrelated change. */
const SEED = Number(process.env.FUZZ_SEED ?? 1);

process.stderr.write(
	`${CASES} cases for each property; FUZZ_CASES=${CASES} FUZZ_SEED=${SEED} repeats them.\n`,
);

const untouched = snapshot();

/**
 * Tries `check` with many values: it must not throw, and must not change the prototypes that all objects share. If it
 * fails, the smallest value that was found is shown with its seed.
 */
export function holds<T>(values: Arbitrary<T>, check: (value: T) => void): void {
	const property = fc.property(values, (value) => {
		check(value);
		expectUntouched();
	});
	fc.assert(property, { numRuns: CASES, seed: SEED });
}

/** {@link holds} for an asynchronous check. */
export async function holdsAsync<T>(
	values: Arbitrary<T>,
	check: (value: T) => Promise<void>,
): Promise<void> {
	const property = fc.asyncProperty(values, async (value) => {
		await check(value);
		expectUntouched();
	});
	await fc.assert(property, { numRuns: CASES, seed: SEED });
}

function expectUntouched(): void {
	if (snapshot() !== untouched) throw new Error('A prototype was polluted');
}

function snapshot(): string {
	const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
	return prototypes.map((one) => Reflect.ownKeys(one).length).join();
}
