/** Keeps the newest entries, up to a number. */
export class Ring<Entry> {
	private entries: Entry[] = [];

	constructor(private readonly size: number) {}

	add(entry: Entry): void {
		this.entries.push(entry);
		// Cut rarely: cutting off one entry at every addition would copy the whole list each time.
		if (this.entries.length >= this.size * 2) this.entries = this.entries.slice(-this.size);
	}

	/** Oldest first. */
	all(): Entry[] {
		return this.entries.slice(-this.size);
	}
}
