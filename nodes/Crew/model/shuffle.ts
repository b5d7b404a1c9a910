/** A copy of `entries` in any order. */
export function shuffle<T>(entries: readonly T[]): T[] {
	return entries
		.map((entry) => ({ entry, order: Math.random() }))
		.sort((a, b) => a.order - b.order)
		.map(({ entry }) => entry);
}
