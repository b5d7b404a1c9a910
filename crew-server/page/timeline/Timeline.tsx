import { useMemo, useState } from 'preact/hooks';

import { count, duration, plural } from '../format';
import { PickList } from '../parts/PickList';
import { useNow } from '../useNow';
import type { ExecutionView } from '../wire';
import { Chart } from './Chart';
import { KIND_WORDS, SpanDetails } from './SpanDetails';
import { lanesOf, type Span } from './spans';
import { useSpans } from './useEvents';

/** What the execution does, over time: a picture of it, and each step in a list. */
export function Timeline({ execution }: { execution: ExecutionView }) {
	const { kickoffId, finishedAt, startedAt, events } = execution;
	const { spans, version, missing } = useSpans(kickoffId, events);
	const isLive = finishedAt === undefined;
	const now = useNow(isLive) + useOffset(execution);
	const to = finishedAt ?? Math.max(now, startedAt + 1_000);
	const all = spans.all;
	const lanes = useMemo(() => {
		const titles = new Map(execution.tasks.map(({ taskId }) => [taskId, taskId]));
		return lanesOf(all, titles);
	}, [version]);
	const [chosen, setChosen] = useState<Span>();
	if (all.length === 0) return isLive ? <p class="empty">Nothing has happened yet.</p> : null;
	return (
		<div class="timeline">
			{missing > 0 && (
				<p class="note">
					The first {plural(missing, 'event')} are no longer kept: what they were about has no
					beginning here.
				</p>
			)}
			<Chart
				lanes={lanes}
				spans={all}
				version={version}
				from={startedAt}
				to={to}
				isLive={isLive}
				chosen={chosen}
				onChoose={setChosen}
			/>
			{chosen && (
				<SpanDetails
					key={chosen.id}
					span={chosen}
					id={kickoffId}
					isLive={isLive}
					onClose={() => {
						setChosen(undefined);
					}}
				/>
			)}
			<h2>
				Steps <span class="faint">{count(all.length)}</span>
			</h2>
			<PickList
				label="Steps"
				kind="step"
				items={all}
				rowHeight={40}
				isFollowing={isLive}
				chosen={chosen}
				onChoose={setChosen}
				marks={({ kind, hasFailed }) => ({
					'data-kind': kind,
					'data-failed': hasFailed || undefined,
				})}
			>
				{(span) => <Step span={span} start={startedAt} to={isLive ? to : undefined} />}
			</PickList>
		</div>
	);
}

/** How far the server's clock is ahead of this one's. */
function useOffset(execution: ExecutionView): number {
	return useMemo(() => execution.now - Date.now(), [execution.now]);
}

interface StepProps {
	span: Span;
	start: number;
	/** Now, if it is still running. */
	to?: number;
}

function Step({ span, start, to }: StepProps) {
	const { kind, name, task, agent, hasFailed, from } = span;
	const until = span.to ?? to;
	return (
		<>
			<span class="faint number">+{duration(from - start)}</span>
			<span class="dot" />
			<span class="clip">
				{KIND_WORDS[kind]} <strong>{name}</strong>
				{hasFailed && ' failed'}
			</span>
			<span class="faint clip">
				{[task, agent].filter((text) => text !== '' && text !== name).join(' · ')}
			</span>
			<span class="number">{until === undefined ? 'no end told' : duration(until - from)}</span>
		</>
	);
}
