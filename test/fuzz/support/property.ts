import fc, { type Arbitrary } from 'fast-check';

/** How many cases each property is tried with. */
const CASES = Number(process.env.FUZZ_CASES ?? 60);
/** The same ones each time, so that a change that has nothing to do with it is not stopped by a rare case. */
const SEED = Number(process.env.FUZZ_SEED ?? 1);

process.stderr.write(
	`${CASES} cases for each property; FUZZ_CASES=${CASES} FUZZ_SEED=${SEED} gives the same again.\n`,
);

const untouched = snapshot();

/**
 * Tries `check` with many values: it must not throw, and the prototypes that all objects share must
 * be afterwards as they were. If it fails, the smallest value found is shown with its seed.
 */
export function holds<T>(values: Arbitrary<T>, check: (value: T) => void): void {
	const property = fc.property(values, (value) => {
		check(value);
		expectUntouched();
	});
	fc.assert(property, { numRuns: CASES, seed: SEED });
}

/** {@link holds} for what takes time. */
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
