import { useState } from 'preact/hooks';

import { time } from '../format';
import { VirtualList } from '../parts/VirtualList';
import { usePolled } from '../polling';
import type { LineView } from '../wire';

/** What the log has told of the execution, and what the project has printed. */
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
				There are no lines: this crew server keeps the newest ones since its own start. Its log has
				all of them.
			</p>
		);
	}
	return (
		<>
			<div class="log">
				<VirtualList
					label="Log lines"
					count={lines.length}
					rowHeight={28}
					isFollowing={isLive}
					keyOf={(index) => index}
					row={(index) => {
						const line = lines[index];
						return line && <Line line={line} isChosen={line === chosen} onChoose={setChosen} />;
					}}
				/>
			</div>
			{chosen && (
				<pre tabIndex={0} aria-label="The whole line">
					{chosen.text}
				</pre>
			)}
		</>
	);
}

interface LineProps {
	line: LineView;
	isChosen: boolean;
	onChoose: (line: LineView) => void;
}

function Line({ line, isChosen, onChoose }: LineProps) {
	const { at, level, text } = line;
	return (
		<button
			type="button"
			class="line"
			data-level={level}
			aria-pressed={isChosen}
			onClick={() => {
				onChoose(line);
			}}
		>
			<span class="faint">{time(at)}</span>
			<span class="level">{level}</span>
			<span class="clip">{text}</span>
		</button>
	);
}
