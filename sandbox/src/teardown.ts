export interface Stoppable {
	/** Ends all that was started. */
	stop(): Promise<void>;
}

/** Remembers how to undo what was started, so that it can be ended at any moment, in the middle of a start too. */
export class Teardown {
	private readonly steps: Array<() => unknown> = [];
	private done: Promise<void> | undefined;

	/**
	 * If all is being ended already, undoes at once what was started meanwhile, and throws: nothing more may be
	 * started.
	 */
	add(step: () => unknown): void {
		this.steps.push(step);
		if (this.done === undefined) return;
		this.done = Promise.allSettled([this.done]).then(() => this.undoAll());
		this.done.catch(console.error);
		throw new Error('The sandbox is being ended');
	}

	/** Undoes everything, the last first. Each step gets its turn, also when one before it does not succeed. */
	run(): Promise<void> {
		this.done ??= this.undoAll();
		return this.done;
	}

	/** Gives what `start` started, with the means to end it; if `start` does not succeed, undoes what it had begun. */
	async guard<T extends object>(start: () => Promise<T>): Promise<T & Stoppable> {
		const stop = () => this.run();
		try {
			return { ...(await start()), stop };
		} catch (error) {
			await stop().catch((failure: unknown) => {
				throw new AggregateError([error, failure], `${String(error)}\n${String(failure)}`);
			});
			throw error;
		}
	}

	private async undoAll(): Promise<void> {
		const failures: unknown[] = [];
		for (const step of this.steps.splice(0).reverse()) {
			try {
				await step();
			} catch (error) {
				failures.push(error);
			}
		}
		if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
	}
}
