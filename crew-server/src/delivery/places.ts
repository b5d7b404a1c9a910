/** How many callbacks are sent to one receiver at a time. */
export const PLACES = 64;

/** How many of these can go to the same URL, so that a slow one does not hold up all others. */
const PLACES_OF_URL = 48;

/** The places of a receiver (an origin) and its URLs for callbacks that are being sent. */
export class Places {
	private readonly taken = new Map<string, number>();

	/** @returns whether there was a place */
	take(url: string): boolean {
		const keys = keysOf(url);
		if ([...keys].some((key) => this.isFull(key))) return false;
		for (const key of keys) this.taken.set(key, this.countOf(key) + 1);
		return true;
	}

	leave(url: string): void {
		for (const key of keysOf(url)) {
			const left = this.countOf(key) - 1;
			if (left === 0) this.taken.delete(key);
			else this.taken.set(key, left);
		}
	}

	/** The origins and URLs that have no place left. */
	full(): string[] {
		return [...this.taken.keys()].filter((key) => this.isFull(key));
	}

	private isFull(key: string): boolean {
		return this.countOf(key) >= (originOf(key) === key ? PLACES : PLACES_OF_URL);
	}

	private countOf(key: string): number {
		return this.taken.get(key) ?? 0;
	}
}

/** An address that cannot be parsed is its own origin. */
function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}

function keysOf(url: string): Set<string> {
	return new Set([originOf(url), url]);
}
