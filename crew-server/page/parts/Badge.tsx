/** A state's word with its color; the word alone says the same. */
export function Badge({ state, word }: { state: string; word: string }) {
	return (
		<span class="badge" data-state={state}>
			{word}
		</span>
	);
}
