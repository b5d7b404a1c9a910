/** A clock that moves only when the test moves it. */
export function clockThatPasses() {
	let now = 1_800_000_000_000;
	return {
		clock: () => now,
		pass: (milliseconds: number): Promise<void> => {
			now += milliseconds;
			return Promise.resolve();
		},
	};
}
