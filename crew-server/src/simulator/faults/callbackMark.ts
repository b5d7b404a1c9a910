import type { DueCallback } from '../../domain/targets';
import { amountOf, type Fault, type FaultKind } from './fault';

/** Faults that change when a callback is sent, first the ones that leave nothing to the others. */
const MARKS = ['callback-lost', 'callback-late', 'callback-out-of-order'] as const;

/** The fault of a callback when it is sent. */
export interface CallbackMark {
	kind: (typeof MARKS)[number];
	/** Milliseconds, if it is late. */
	amount: number;
}

const MARK = new RegExp(`#(${MARKS.join('|')})=(\\d+)$`);

/**
 * A callback with its faults: its URL has them after a `#`, which is never sent. Since that makes it a different URL, later
 * callbacks do not wait for it.
 */
export function withFaults(callback: DueCallback, faults: readonly Fault[]): DueCallback[] {
	const find = (kind: FaultKind) => faults.find((fault) => fault.kind === kind);
	const sent: DueCallback = find('callback-wrong-token')
		? { ...callback, authentication: { strategy: 'bearer', token: 'wrong-token' } }
		: callback;
	const mark = MARKS.map(find).find((fault) => fault !== undefined);
	const url = mark && `${sent.url.split('#')[0]}#${mark.kind}=${Math.round(amountOf(mark))}`;
	return [
		url === undefined ? sent : { ...sent, url },
		...(find('callback-twice') ? [{ ...sent, id: `${sent.id}-again` }] : []),
	];
}

export function markOf(url: string): CallbackMark | undefined {
	const [, kind, amount] = MARK.exec(url) ?? [];
	return kind === undefined
		? undefined
		: { kind: kind as CallbackMark['kind'], amount: Number(amount) };
}
