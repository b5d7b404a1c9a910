import { pause } from '../api/pause';

/**
 * Runs `work` for each index below `count`, in order, with up to `limit()` under way at the same time.
 * While those wait for their answers, `read` is called for as many more: n8n evaluates expressions in
 * this one thread, about a millisecond each, and none of it has to stand between an answer and the
 * next request. Nor do several begin together, when others were answered together or the limit has
 * risen: these would be answered together again, and each time all would wait for what n8n does for
 * each.
 *
 * @param limit may change from call to call, and is never below one
 * @param read may be called for indexes whose work then has nothing to do; must not throw
 * @param work must not reject
 */
export async function readAhead<T>(
	count: number,
	limit: () => number,
	read: (index: number) => T,
	work: (index: number, read: T) => Promise<void>,
): Promise<void> {
	const ahead: Array<{ index: number; value: T }> = [];
	let [next, workers] = [0, 0];
	const readNext = () => {
		const index = next++;
		return { index, value: read(index) };
	};
	const takeTurn = turnstile();
	const isMore = () => ahead.length > 0 || next < count;
	const workOnOne = async () => {
		const { index, value } = ahead.shift() ?? readNext();
		const underWay = work(index, value);
		if (next < count) {
			await pause(0); // First the request just begun has to get out.
			if (ahead.length < limit() && next < count) ahead.push(readNext());
		}
		await underWay;
	};
	const hire = () => {
		const missing = Math.min(limit() - workers, ahead.length + count - next);
		return Array.from({ length: Math.max(0, missing) }, worker);
	};
	const worker = async (): Promise<void> => {
		workers++;
		const others: Array<Promise<void>> = [];
		while (isMore() && workers <= limit()) {
			await takeTurn();
			if (isMore()) await workOnOne();
			others.push(...hire());
		}
		workers--;
		await Promise.all(others);
	};
	await Promise.all(hire());
}

/** Lets one through at a time, each in another turn of the event loop. */
function turnstile(): () => Promise<void> {
	let last = Promise.resolve();
	const pass = async (turn: Promise<void>) => {
		await turn;
		await pause(0);
	};
	return async () => {
		const turn = last;
		last = pass(turn);
		await turn;
	};
}
