/** What takes its turn. */
export interface Turn {
	/** Begins; from now on it takes room. */
	take(): void;
}

/** Lets so many work at once; the others wait in the order in which they came, those that go on before new ones. */
export class Line<One extends Turn> {
	private readonly goingOn: One[] = [];
	private readonly new: One[] = [];
	private readonly working = new Set<One>();

	constructor(private readonly room: number) {}

	/**
	 * @param goesOn whether it has worked before
	 * @returns whether it has begun at once
	 */
	join(one: One, goesOn = false): boolean {
		(goesOn ? this.goingOn : this.new).push(one);
		this.advance();
		return this.working.has(one);
	}

	/** Makes room, or leaves the line. */
	leave(one: One): void {
		for (const waiting of [this.goingOn, this.new]) {
			const place = waiting.indexOf(one);
			if (place >= 0) waiting.splice(place, 1);
		}
		this.working.delete(one);
		this.advance();
	}

	private advance(): void {
		while (this.working.size < this.room) {
			const next = this.goingOn.shift() ?? this.new.shift();
			if (!next) return;
			this.working.add(next);
			next.take();
		}
	}
}
