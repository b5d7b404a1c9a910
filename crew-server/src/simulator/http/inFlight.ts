import type { ServerResponse } from 'node:http';

/** Requests that are not answered yet. */
export class InFlight {
	size = 0;
	private readonly waiting: Array<() => void> = [];

	/** Counts a request until it is answered, or its connection is gone. */
	join(response: ServerResponse): void {
		// It may have waited for longer than its client: its place is for the next one.
		if (response.closed) {
			this.waiting.shift()?.();
			return;
		}
		this.size++;
		response.once('close', () => {
			this.size--;
			this.waiting.shift()?.();
		});
	}

	/** The same, but waits until fewer than `most` others are counted. */
	async joinUpTo(most: number, response: ServerResponse): Promise<void> {
		while (this.size >= most) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		this.join(response);
	}
}
