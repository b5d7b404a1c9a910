const MOST = 1_000;

/** Keeps what was learned of a crew, in bounds: beyond them all is learned anew. */
export function remember<T>(memory: Map<string, T>, key: string, value: T): void {
	if (memory.size >= MOST) memory.clear();
	memory.set(key, value);
}
