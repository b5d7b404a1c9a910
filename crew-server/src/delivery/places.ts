/** How many callbacks are on their way to one receiver at a time. */
export const PLACES = 64;

/** As many of them at most go to the same URL, so that one that is slow does not hold up all others. */
const PLACES_OF_URL = 48;

/** Who is being called: a receiver (an origin) and its URLs have so many places and no more. */
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

/** An address that cannot be read stands for itself. */
function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}

function keysOf(url: string): Set<string> {
	return new Set([originOf(url), url]);
}
