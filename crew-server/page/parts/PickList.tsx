import type { ComponentChildren } from 'preact';

import { VirtualList } from './VirtualList';

interface PickListProps<T> {
	label: string;
	/** The class that says what its rows look like. */
	kind: string;
	items: readonly T[];
	/** Pixels; all rows are of the same height. */
	rowHeight: number;
	/** Keeps the end in view as rows are added. */
	isFollowing: boolean;
	chosen?: T;
	onChoose: (item: T) => void;
	/** Data attributes that say how a row looks. */
	marks: (item: T) => Record<`data-${string}`, string | boolean | undefined>;
	children: (item: T) => ComponentChildren;
}

/** A long list of rows, one of which can be chosen. */
export function PickList<T>(props: PickListProps<T>) {
	const { label, kind, items, rowHeight, isFollowing, chosen, onChoose, marks, children } = props;
	const row = (index: number) => {
		const item = items[index];
		if (item === undefined) return null;
		return (
			<button
				type="button"
				class={`pick ${kind}`}
				aria-pressed={item === chosen}
				{...marks(item)}
				onClick={() => {
					onChoose(item);
				}}
			>
				{children(item)}
			</button>
		);
	};
	return (
		<div class="picks">
			<VirtualList
				label={label}
				count={items.length}
				rowHeight={rowHeight}
				isFollowing={isFollowing}
				keyOf={(index) => index}
				row={row}
			/>
		</div>
	);
}
