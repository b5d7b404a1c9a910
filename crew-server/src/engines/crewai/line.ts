/** What takes its turn. */
export interface Turn {
	/** Begins; from now on it takes room. */
	take(): void;
}

/** Lets so many work at once; the others wait in the order in which they came, those that go on before new ones. */
export class Line<One extends Turn> {
	private readonly goingOn: One[] = [];
	private readonly new: One[] = [];
	/** Those that take room. */
	private readonly working = new Set<One>();
	/** Those that wait for a person and keep what they have, the oldest first. */
	private readonly resting = new Set<One>();

	/** @param roomToRest how many of those that rest take no room */
	constructor(
		private readonly room: number,
		private readonly roomToRest = 0,
	) {}

	/**
	 * @param goesOn whether it has worked before
	 * @returns whether it has begun at once
	 */
	join(one: One, goesOn = false): boolean {
		this.resting.delete(one);
		// It may have had to keep its room.
		if (this.working.has(one)) one.take();
		else (goesOn ? this.goingOn : this.new).push(one);
		this.advance();
		return this.working.has(one);
	}

	/** Makes room until it joins again, unless too many do. */
	rest(one: One): void {
		this.resting.add(one);
		this.advance();
	}

	/** Makes room, or leaves the line. */
	leave(one: One): void {
		for (const waiting of [this.goingOn, this.new]) {
			const place = waiting.indexOf(one);
			if (place >= 0) waiting.splice(place, 1);
		}
		this.working.delete(one);
		this.resting.delete(one);
		this.advance();
	}

	private advance(): void {
		const inRoom = [...this.resting].filter((one) => this.working.has(one));
		const roomLeft = this.roomToRest - (this.resting.size - inRoom.length);
		for (const one of inRoom.slice(0, Math.max(0, roomLeft))) this.working.delete(one);
		while (this.working.size < this.room) {
			const next = this.goingOn.shift() ?? this.new.shift();
			if (!next) return;
			this.working.add(next);
			next.take();
		}
	}
}
