import { inspect } from 'node:util';
import { endOnSignals } from '../../sandbox/src/end-on-signals';
import { Teardown } from '../../sandbox/src/teardown';

/** How many problems are shown. */
const SHOWN = 30;

export function log(line: string): void {
	process.stdout.write(`${line}\n`);
}

export function tellProblems(problems: readonly string[]): void {
	for (const problem of problems.slice(0, SHOWN)) log(`PROBLEM: ${problem}`);
	if (problems.length > SHOWN) log(`PROBLEM: ${problems.length - SHOWN} more`);
}

/**
 * Runs the command of a long test. At its end, and on Ctrl-C, everything that it has started is ended.
 *
 * @param main returns whether there were no problems, which decides the exit code
 */
export function runLongTest(main: (teardown: Teardown) => Promise<boolean>): void {
	const teardown = new Teardown();
	const isEnding = endOnSignals(teardown);
	const run = async () => {
		const isWell = await main(teardown);
		await teardown.run();
		process.exit(isWell ? 0 : 1);
	};
	run().catch(async (error: unknown) => {
		// After Ctrl-C, an error only says that something was interrupted.
		if (isEnding()) return;
		// With its causes.
		log(`\n${inspect(error)}`);
		await teardown.run().catch(() => undefined);
		process.exit(1);
	});
}
