/** Runs `work` for each entry, in order, with up to `limit` under way at the same time. */
export async function forEachLimited<T>(
	entries: readonly T[],
	limit: number,
	work: (entry: T, index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < entries.length) {
			const index = next++;
			await work(entries[index] as T, index);
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, worker));
}
