/** A state's word with its color; the word itself tells the same without one. */
export function Badge({ state, word }: { state: string; word: string }) {
	return (
		<span class="badge" data-state={state}>
			{word}
		</span>
	);
}
