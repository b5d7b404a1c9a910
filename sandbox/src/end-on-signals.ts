import { constants } from 'node:os';
import type { Teardown } from './teardown';

/** One Ctrl-C arrives several times: from the terminal, from npm and from bootstrap.mjs. */
const SAME_KEYSTROKE_MS = 1000;

/**
 * For a command: on Ctrl-C and similar signals, runs the teardown and then ends the process.
 *
 * @returns says whether that has begun
 */
export function endOnSignals(teardown: Teardown): () => boolean {
	let endingSince: number | undefined;
	const end = async (signal: NodeJS.Signals): Promise<void> => {
		const exitCode = 128 + constants.signals[signal];
		if (endingSince !== undefined) {
			// Pressed again: do not wait any longer. What is still running is killed when this process exits.
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
	// After the terminal was closed, output fails, but the teardown still has to run.
	process.stdout.on('error', () => undefined);
	process.stderr.on('error', () => undefined);
	return () => endingSince !== undefined;
}
