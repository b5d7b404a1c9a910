import { pause } from '../api/pause';

/**
 * Runs `work` for each index below `count`, in order, with up to `limit` under way at the same time.
 * While those wait for their answers, `read` is called for as many more: n8n evaluates expressions in
 * this one thread, about a millisecond each, and none of it has to stand between an answer and the
 * next request. Those that were answered together are not followed by others that begin together:
 * these would be answered together again, and each time all would wait for what n8n does for each.
 *
 * @param read may be called for indexes whose work then has nothing to do; must not throw
 * @param work must not reject
 */
export async function readAhead<T>(
	count: number,
	limit: number,
	read: (index: number) => T,
	work: (index: number, read: T) => Promise<void>,
): Promise<void> {
	const ahead: Array<{ index: number; value: T }> = [];
	let next = 0;
	const readNext = () => {
		const index = next++;
		return { index, value: read(index) };
	};
	const takeTurn = turnstile();
	const isMore = () => ahead.length > 0 || next < count;
	const worker = async () => {
		while (isMore()) {
			const { index, value } = ahead.shift() ?? readNext();
			const underWay = work(index, value);
			if (next < count) {
				// First the request just begun has to get out.
				await pause(0);
				if (ahead.length < limit && next < count) ahead.push(readNext());
			}
			await underWay;
			if (isMore()) await takeTurn();
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, count) }, worker));
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
