import { forEachLimited } from '../api/forEachLimited';
import { pause } from '../api/pause';

/** How many items are read ahead for each that may be running: enough if the limit rises by half. */
const MOST_AHEAD = 1.5;

/**
 * Runs `work` for each index below `count`, in order, with up to `limit()` under way at the same time.
 * While those wait for their answers, `read` is called for half as many again: n8n evaluates
 * expressions in this one thread, about a millisecond each, and none of it has to stand between an
 * answer and the next request. Nor do several begin together, when others were answered together or
 * the limit has risen: these would be answered together again, and each time all would wait for what
 * n8n does for each.
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
	/** Each index below `count` in order, read once: when it is taken, or before that. */
	const ahead: Array<{ index: number; value: T }> = [];
	let [next, taken] = [0, 0];
	let isReading = false;
	const readNext = () => ({ index: next, value: read(next++) });
	const isWanted = () => next < count && ahead.length < Math.floor(limit() * MOST_AHEAD);
	/** Reads in turns of the event loop in which nothing is taken: what is taken then has to get out first. */
	const readOn = async () => {
		if (isReading) return;
		isReading = true;
		while (isWanted()) {
			const before = taken;
			await pause(0);
			if (taken === before && isWanted()) ahead.push(readNext());
		}
		isReading = false;
	};
	const takeTurn = turnstile();
	await forEachLimited(Array.from({ length: count }), limit, async () => {
		await takeTurn();
		const { index, value } = ahead.shift() ?? readNext();
		taken++;
		const underWay = work(index, value);
		void readOn();
		await underWay;
	});
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
