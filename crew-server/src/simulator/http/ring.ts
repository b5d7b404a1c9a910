/** Keeps the newest entries, at most as many as it was made for. */
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
