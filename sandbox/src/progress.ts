const SHOW_EVERY = 15_000;

/** Runs a long step and logs every 15 seconds that it is still running. */
export async function reportProgress<T>(
	step: string,
	log: (line: string) => void,
	run: () => Promise<T>,
): Promise<T> {
	const began = Date.now();
	const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
	const timer = setInterval(() => {
		log(`  ${step} ... ${seconds()}`);
	}, SHOW_EVERY);
	try {
		const result = await run();
		log(`  ${step}: done in ${seconds()}`);
		return result;
	} finally {
		clearInterval(timer);
	}
}
