import { useState } from 'preact/hooks';

import { time } from '../format';
import { PickList } from '../parts/PickList';
import { usePolled } from '../polling';
import type { LineView } from '../wire';

/** The log's lines about the execution, and what the project has printed. */
export function LogLines({ id, isLive }: { id: string; isLive: boolean }) {
	const { value, problem } = usePolled<{ lines: LineView[] }>(
		`page/log?id=${encodeURIComponent(id)}`,
		() => isLive,
	);
	const [chosen, setChosen] = useState<LineView>();
	const lines = value?.lines ?? [];
	if (problem && !value) return <p role="alert">{problem.message}</p>;
	if (value && lines.length === 0) {
		return (
			<p class="empty">
				There are no lines: this crew server keeps only the newest ones since its start. Its log has
				all of them.
			</p>
		);
	}
	return (
		<>
			<PickList
				label="Log lines"
				kind="line"
				items={lines}
				rowHeight={28}
				isFollowing={isLive}
				chosen={chosen}
				onChoose={setChosen}
				marks={({ level }) => ({ 'data-level': level })}
			>
				{({ at, level, text }) => (
					<>
						<span class="faint">{time(at)}</span>
						<span class="level">{level}</span>
						<span class="clip">{text}</span>
					</>
				)}
			</PickList>
			{chosen && (
				<pre tabIndex={0} aria-label="The whole line">
					{chosen.text}
				</pre>
			)}
		</>
	);
}
