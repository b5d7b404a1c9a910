const MOST = 1_000;

/** Keeps a limited number of entries: the oldest is forgotten first. */
export function remember<T>(memory: Map<string, T>, key: string, value: T): void {
	memory.delete(key);
	memory.set(key, value);
	const [oldest] = memory.keys();
	if (memory.size > MOST && oldest !== undefined) memory.delete(oldest);
}
