/**
 * Runs `work` for each entry, in order, with up to `limit()` under way at the same time.
 *
 * @param limit may change from call to call, and is never below one
 */
export async function forEachLimited<T>(
	entries: readonly T[],
	limit: () => number,
	work: (entry: T) => Promise<void>,
): Promise<void> {
	let [next, workers] = [0, 0];
	const hire = () => {
		const missing = Math.min(limit() - workers, entries.length - next);
		return Array.from({ length: Math.max(0, missing) }, worker);
	};
	const worker = async (): Promise<void> => {
		workers++;
		const others: Array<Promise<void>> = [];
		while (next < entries.length && workers <= limit()) {
			await work(entries[next++] as T);
			others.push(...hire());
		}
		workers--;
		await Promise.all(others);
	};
	await Promise.all(hire());
}
