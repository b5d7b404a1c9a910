import type { Span } from './spans';

/** A piece of the scale: a moment, the milliseconds from then on, and how much of the width they take. */
interface Piece {
	from: number;
	to: number;
	/** In milliseconds of the scale: fewer than in reality, if there was only waiting. */
	left: number;
	width: number;
	isWait: boolean;
}

/** Milliseconds of waiting that are never shortened. */
const SHORT_WAIT = 20_000;
/** How much of the width a shortened wait takes up. */
const SHARE = 0.06;

/** Where moments are on the timeline: hours of only waiting for a person take a short piece of it. */
export class Scale {
	private readonly pieces: Piece[] = [];
	readonly length: number;

	constructor(spans: readonly Span[], from: number, to: number) {
		const waits = waitsIn(spans, from, to);
		const waited = waits.reduce((sum, wait) => sum + wait.to - wait.from, 0);
		const worked = Math.max(1, to - from - waited);
		let left = 0;
		let at = from;
		const add = (until: number, isWait: boolean) => {
			if (until <= at) return;
			const width = isWait ? Math.min(until - at, worked * SHARE) : until - at;
			this.pieces.push({ from: at, to: until, left, width, isWait });
			left += width;
			at = until;
		};
		for (const wait of waits) {
			add(wait.from, false);
			add(wait.to, true);
		}
		add(to, false);
		this.length = Math.max(1, left);
	}

	/** From 0 to 1. */
	place(at: number): number {
		const piece = this.pieces.findLast((one) => one.from <= at);
		if (!piece) return 0;
		const part = Math.min(1, (at - piece.from) / (piece.to - piece.from));
		return (piece.left + part * piece.width) / this.length;
	}

	/** Waits that are drawn shorter than they were. */
	shortened(): Array<{ from: number; to: number }> {
		return this.pieces.filter(({ isWait, from, to, width }) => isWait && width < to - from);
	}
}

/** Periods with nothing but an open question. */
function waitsIn(
	spans: readonly Span[],
	from: number,
	to: number,
): Array<{ from: number; to: number }> {
	const work = spans
		.filter(
			({ kind }) => kind !== 'question' && kind !== 'crew' && kind !== 'flow' && kind !== 'method',
		)
		.map((span) => ({ from: span.from, to: span.to ?? span.from }))
		.sort((one, other) => one.from - other.from);
	const waits = [];
	let until = from;
	for (const span of [...work, { from: to, to }]) {
		if (span.from - until > SHORT_WAIT && isAsked(spans, until, span.from)) {
			waits.push({ from: until, to: span.from });
		}
		until = Math.max(until, span.to);
	}
	return waits;
}

function isAsked(spans: readonly Span[], from: number, to: number): boolean {
	return spans.some(
		(span) =>
			span.kind === 'question' && span.from <= from + 1_000 && (span.to ?? Infinity) >= to - 1_000,
	);
}
