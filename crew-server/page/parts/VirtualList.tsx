import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows beyond the visible ones that are already rendered. */
const AHEAD = 8;

interface VirtualListProps {
	label: string;
	count: number;
	/** Pixels; all rows are of the same height. */
	rowHeight: number;
	row: (index: number) => ComponentChildren;
	/** Identifies what a row shows. */
	keyOf: (index: number) => string | number;
	/** Called when the last rows come into view. */
	onEnd?: () => void;
	/** Keeps the end in view as rows are added, as long as it is in view. */
	isFollowing?: boolean;
}

/**
 * A list of any length, of which only the visible part is in the document. The arrow keys, Home and End go from one row's
 * link or button to the next.
 */
export function VirtualList(props: VirtualListProps) {
	const { label, count, rowHeight, row, keyOf, onEnd, isFollowing } = props;
	const scroller = useRef<HTMLDivElement>(null);
	const { first, last } = useSeen(scroller, rowHeight, count);
	const wanted = useRef<number | undefined>(undefined);
	const isAtEnd = useRef(true);
	useEffect(() => {
		if (last >= count - AHEAD) onEnd?.();
	}, [last, count]);
	useLayoutEffect(() => {
		const box = scroller.current;
		if (isFollowing && isAtEnd.current && box) box.scrollTop = box.scrollHeight;
	}, [count]);
	useLayoutEffect(() => {
		const target = wanted.current === undefined ? null : rowAt(scroller.current, wanted.current);
		if (!target) return;
		wanted.current = undefined;
		target.focus({ preventScroll: true });
	});
	const onKeyDown = (event: KeyboardEvent) => {
		const box = scroller.current;
		const to = box ? target(event, box, count, rowHeight) : undefined;
		if (!box || to === undefined) return;
		event.preventDefault();
		wanted.current = to;
		const top = to * rowHeight;
		if (top < box.scrollTop) box.scrollTop = top;
		else if (top + rowHeight > box.scrollTop + box.clientHeight) {
			box.scrollTop = top + rowHeight - box.clientHeight;
		}
		const focused = rowAt(box, to);
		if (focused) {
			wanted.current = undefined;
			focused.focus({ preventScroll: true });
		}
	};
	const rows = [];
	for (let index = first; index < last; index++) {
		rows.push(
			<li
				key={keyOf(index)}
				class="virtual-row"
				data-index={index}
				aria-setsize={count}
				aria-posinset={index + 1}
				style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
			>
				{row(index)}
			</li>,
		);
	}
	return (
		<div
			class="virtual"
			ref={scroller}
			tabIndex={-1}
			onKeyDown={onKeyDown}
			onScroll={({ currentTarget: box }) => {
				isAtEnd.current = box.scrollTop + box.clientHeight >= box.scrollHeight - rowHeight;
			}}
		>
			<ul aria-label={label} style={{ height: `${count * rowHeight}px` }}>
				{rows}
			</ul>
		</div>
	);
}

/** Which rows are visible now, or will be soon. */
function useSeen(
	scroller: { current: HTMLDivElement | null },
	rowHeight: number,
	count: number,
): { first: number; last: number } {
	const [seen, setSeen] = useState({ first: 0, last: 30 });
	useEffect(() => {
		const box = scroller.current;
		if (!box) return undefined;
		const look = () => {
			const first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - AHEAD);
			const last = Math.ceil((box.scrollTop + box.clientHeight) / rowHeight) + AHEAD;
			setSeen((before) =>
				before.first === first && before.last === last ? before : { first, last },
			);
		};
		const observer = new ResizeObserver(look);
		observer.observe(box);
		box.addEventListener('scroll', look, { passive: true });
		return () => {
			observer.disconnect();
			box.removeEventListener('scroll', look);
		};
	}, [rowHeight]);
	const last = Math.min(count, seen.last);
	return { first: Math.max(0, Math.min(seen.first, last - 1)), last };
}

function rowAt(box: HTMLElement | null, index: number): HTMLElement | null {
	return box?.querySelector(`:scope > ul > [data-index="${index}"] :is(a, button)`) ?? null;
}

/** The row to which a key moves the focus. */
function target(
	{ key, target: on }: KeyboardEvent,
	box: HTMLElement,
	count: number,
	rowHeight: number,
): number | undefined {
	const row = on instanceof Element ? on.closest<HTMLElement>('[data-index]') : null;
	if (!row) return undefined;
	const index = Number(row.dataset['index']);
	const page = Math.max(1, Math.floor(box.clientHeight / rowHeight) - 1);
	const steps: Record<string, number> = {
		ArrowDown: index + 1,
		ArrowUp: index - 1,
		PageDown: index + page,
		PageUp: index - page,
		Home: 0,
		End: count - 1,
	};
	const to = steps[key];
	return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}
