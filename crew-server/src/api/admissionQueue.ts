import type { Store } from '../store/store';
import { temporaryError } from './httpError';

export interface AdmissionSettings {
	readonly store: Store;
	/** Why no work can be done at the moment. */
	workProblem: () => string | undefined;
	/** How many executions may wait for a worker (default: any number). */
	queue?: number;
}

/** Milliseconds for which a count of the waiting executions is good enough. */
const GOOD_FOR = 1_000;
/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 10;

/** Limits how many executions may wait for a worker. */
export class AdmissionQueue {
	/** The most that can be waiting: the last count, and all that have come since. */
	private most = 0;
	/** How many the store has not taken yet. */
	private entering = 0;
	private countedAt = -Infinity;
	private counting: Promise<void> | undefined;

	constructor(private readonly settings: AdmissionSettings) {}

	/**
	 * Lets one more enter.
	 *
	 * @throws {HttpError} if there are too many, or no work can be done
	 */
	async enter<T>(kickoff: () => Promise<T>): Promise<T> {
		const { workProblem, queue = Infinity } = this.settings;
		const problem = workProblem();
		if (problem !== undefined) {
			const message = `The crew cannot be run now, so try again later: ${problem}`;
			throw temporaryError(503, message, RETRY_AFTER);
		}
		if (this.most >= queue || performance.now() - this.countedAt > GOOD_FOR) {
			await (this.counting ??= this.count());
		}
		if (this.most >= queue) {
			throw temporaryError(
				503,
				`${queue} executions are already waiting: try again later`,
				RETRY_AFTER,
			);
		}
		this.most += 1;
		this.entering += 1;
		try {
			return await kickoff();
		} finally {
			this.entering -= 1;
		}
	}

	private async count(): Promise<void> {
		try {
			this.most = (await this.settings.store.count('queued')) + this.entering;
			this.countedAt = performance.now();
		} finally {
			this.counting = undefined;
		}
	}
}
