import { constants } from 'node:os';
import type { Teardown } from './teardown';

/** One Ctrl-C arrives several times: from the terminal, and passed on by npm and by bootstrap.mjs. */
const SAME_KEYSTROKE_MS = 1000;

/**
 * For a command: ends everything in order on Ctrl-C and its kin, and then the process.
 *
 * @returns whether that is under way
 */
export function endOnSignals(teardown: Teardown): () => boolean {
	let endingSince: number | undefined;
	const end = async (signal: NodeJS.Signals): Promise<void> => {
		const exitCode = 128 + constants.signals[signal];
		if (endingSince !== undefined) {
			// Pressed again: do not wait any longer. What still runs is killed when this process exits.
			if (Date.now() - endingSince > SAME_KEYSTROKE_MS) process.exit(exitCode);
			return;
		}
		endingSince = Date.now();
		console.log('\nEnding ...');
		await teardown.run().catch(console.error);
		process.exit(exitCode);
	};
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => void end(signal));
	}
	// A closed terminal takes the output away; the end still has to be orderly.
	process.stdout.on('error', () => undefined);
	process.stderr.on('error', () => undefined);
	return () => endingSince !== undefined;
}
