import { setTimeout as sleep } from 'node:timers/promises';

import type { Outcome, Sender } from '../../delivery/post';
import type { DueCallback } from '../../domain/targets';
import { markOf } from './callbackMark';

/** Milliseconds that a callback that should come out of order waits for the next one. */
const WAIT_FOR_FOLLOWER = 1_000;

/** The same sender, with the faults of callbacks. */
export function faultySender(post: Sender): Sender {
	const overtaken = new Map<string, () => void>();

	const letOvertake = async (callback: DueCallback, signal: AbortSignal) => {
		const follower = new AbortController();
		const end = () => {
			follower.abort();
		};
		overtaken.set(lineOf(callback), end);
		signal.addEventListener('abort', end, { once: true });
		await pause(WAIT_FOR_FOLLOWER, follower.signal);
		signal.removeEventListener('abort', end);
		overtaken.delete(lineOf(callback));
	};

	const trySending: Sender = async (callback, signal) => {
		const { kind, amount = 0 } = markOf(callback.url) ?? {};
		if (kind === 'callback-lost') {
			const attempt = { at: Date.now(), problem: 'held back by a fault' };
			return { attempt, isWorthRepeating: false };
		}
		const isFirst = callback.tries === 0;
		if (isFirst && kind === 'callback-late') await pause(amount, signal);
		if (isFirst && kind === 'callback-out-of-order') await letOvertake(callback, signal);
		const outcome = await post(callback, signal);
		if (kind === undefined) overtaken.get(lineOf(callback))?.();
		return outcome;
	};

	const underWay = new Map<string, Promise<Outcome>>();
	return (callback, signal) => {
		const { id } = callback;
		// If it is late for longer than its claim lasts, it is claimed again, but must not arrive twice.
		const sent =
			underWay.get(id) ??
			trySending(callback, signal).finally(() => {
				underWay.delete(id);
			});
		underWay.set(id, sent);
		return sent;
	};
}

/** Callbacks of one execution to one receiver are in one line. */
function lineOf({ kickoffId, url }: DueCallback): string {
	return `${kickoffId} ${URL.canParse(url) ? new URL(url).origin : url}`;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
