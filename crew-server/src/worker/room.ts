/** How many executions that only wait for a person may keep their process, besides the ones that are working. */
const MOST_YIELDED = 10;

/** Room for a number of executions at once; those that regain their slot come before new ones. */
export class Room<One> {
	/** The ones that take up room. */
	private readonly working = new Set<One>();
	/** The ones that wait for a person and keep their process, the oldest first. */
	private readonly yielded = new Set<One>();
	private readonly goingOn = new Map<One, () => void>();

	/**
	 * @param onFree called whenever there may be room for new ones
	 * @param mostYielded how many that have yielded take up no room
	 */
	constructor(
		private readonly size: number,
		private readonly onFree: () => void,
		private readonly mostYielded = MOST_YIELDED,
	) {}

	/** How many more may enter. */
	get free(): number {
		return this.goingOn.size > 0 ? 0 : Math.max(0, this.size - this.working.size);
	}

	/** How many take up room now. */
	get taken(): number {
		return this.working.size;
	}

	enter(one: One): void {
		this.working.add(one);
	}

	/** Makes room until it continues, unless too many others have yielded theirs. */
	yieldSlot(one: One): void {
		this.yielded.add(one);
		this.advance();
	}

	/** Resolves once it has room again. */
	async regainSlot(one: One): Promise<void> {
		this.yielded.delete(one);
		// It may have kept its room.
		if (this.working.has(one)) return;
		await new Promise<void>((resolve) => {
			this.goingOn.set(one, resolve);
			this.advance();
		});
	}

	leave(one: One): void {
		this.working.delete(one);
		this.yielded.delete(one);
		this.goingOn.get(one)?.();
		this.goingOn.delete(one);
		this.advance();
	}

	private advance(): void {
		const inRoom = [...this.yielded].filter((one) => this.working.has(one));
		const placesLeft = this.mostYielded - (this.yielded.size - inRoom.length);
		for (const one of inRoom.slice(0, Math.max(0, placesLeft))) this.working.delete(one);
		for (const [one, go] of this.goingOn) {
			if (this.working.size >= this.size) return;
			this.goingOn.delete(one);
			this.working.add(one);
			go();
		}
		if (this.free > 0) this.onFree();
	}
}
