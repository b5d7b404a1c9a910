export interface Stoppable {
	/** Ends everything that was started. */
	stop(): Promise<void>;
}

/** Remembers how to undo what was started, so that it can be ended at any moment, even in the middle of a start. */
export class Teardown {
	private readonly steps: Array<() => unknown> = [];
	private done: Promise<void> | undefined;

	/** If the teardown has already begun, undoes the new step and throws: nothing more may be started. */
	add(step: () => unknown): void {
		this.steps.push(step);
		if (this.done === undefined) return;
		this.done = Promise.allSettled([this.done]).then(() => this.undoAll());
		this.done.catch(console.error);
		throw new Error('The sandbox is being ended');
	}

	/** Undoes everything, the last step first. Each step gets its turn, even after one that fails. */
	run(): Promise<void> {
		this.done ??= this.undoAll();
		return this.done;
	}

	/** Returns what `start` started, with a way to end it; if `start` fails, undoes its steps. */
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
