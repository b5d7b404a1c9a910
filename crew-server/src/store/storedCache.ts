import type { Stored } from './store';

/** Characters of JSON of all cached executions together. */
const MOST_CHARACTERS = 64 * 1024 ** 2;

/** An execution with the characters of JSON that were read or written for it, which is too many if it was written often. */
export interface Sized extends Stored {
	readonly size?: number;
}

/** Caches executions as they were last read or written; the least recently used one is dropped first. */
export class StoredCache {
	private readonly entries = new Map<number, Sized>();
	private size = 0;

	get(key: number, version: number): Sized | undefined {
		const entry = this.entries.get(key);
		if (entry?.version !== version) return undefined;
		this.entries.delete(key);
		this.entries.set(key, entry);
		return entry;
	}

	/** Caches the newest state. If its size is unknown, it is dropped, and cached when it is read next. */
	set(sized: Sized): void {
		const { key, size } = sized;
		this.delete(key);
		if (size === undefined) return;
		this.entries.set(key, sized);
		this.size += size;
		for (const oldest of this.entries.keys()) {
			if (this.size <= MOST_CHARACTERS) return;
			this.delete(oldest);
		}
	}

	sizeOf(key: number): number | undefined {
		return this.entries.get(key)?.size;
	}

	private delete(key: number): void {
		this.size -= this.sizeOf(key) ?? 0;
		this.entries.delete(key);
	}
}
