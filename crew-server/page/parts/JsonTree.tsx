import { useState } from 'preact/hooks';

import { plural } from '../format';

/** Entries that are shown before someone asks for more. */
const SHOWN = 100;

/** JSON as a tree whose branches open and close. */
export function JsonTree({ value }: { value: unknown }) {
	return (
		<div class="tree">
			<Node value={value} depth={0} />
		</div>
	);
}

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
	if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} />;
	return <Branch name={name} value={value} depth={depth} />;
}

function Branch({ name, value, depth }: { name?: string; value: object; depth: number }) {
	const [isOpen, setIsOpen] = useState(depth < 2);
	const [shown, setShown] = useState(SHOWN);
	const entries = Object.entries(value as Record<string, unknown>);
	const what = Array.isArray(value)
		? plural(entries.length, 'item')
		: plural(entries.length, 'field');
	return (
		<details
			open={isOpen}
			onToggle={({ currentTarget, target }) => {
				if (target === currentTarget) setIsOpen(currentTarget.open);
			}}
		>
			<summary>
				{name === undefined ? '' : <span class="key">{name}</span>}{' '}
				<span class="faint">{what}</span>
			</summary>
			{isOpen && (
				<ul>
					{entries.slice(0, shown).map(([key, one]) => (
						<li key={key}>
							<Node name={key} value={one} depth={depth + 1} />
						</li>
					))}
					{entries.length > shown && (
						<li>
							<button
								type="button"
								class="quiet"
								onClick={() => {
									setShown(shown + 10 * SHOWN);
								}}
							>
								Show more of {plural(entries.length, 'entry', 'entries')}
							</button>
						</li>
					)}
				</ul>
			)}
		</details>
	);
}

function Leaf({ name, value }: { name?: string; value: unknown }) {
	const kind = value === null ? 'null' : typeof value;
	return (
		<span>
			{name === undefined ? '' : <span class="key">{name}</span>}{' '}
			<span class={`value ${kind}`}>
				{kind === 'string' ? (value as string) : JSON.stringify(value)}
			</span>
		</span>
	);
}
