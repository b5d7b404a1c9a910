import { useEffect, useState } from 'preact/hooks';

import { count, duration, moment, STATUS_WORDS, wholeMoment } from '../format';
import { Badge } from '../parts/Badge';
import { VirtualList } from '../parts/VirtualList';
import { addressOf } from '../route';
import { useNow } from '../useNow';
import type { CrewView, Status, Summary } from '../wire';
import { NO_FILTER, useExecutions, type Filter } from './useExecutions';

/** Milliseconds after the last typed letter until a search starts. */
const TYPING = 250;

/** All executions that the store has, the newest first. */
export function Executions({ crew }: { crew: CrewView }) {
	const [filter, setFilter] = useState<Filter>(NO_FILTER);
	const applied = useSettled(filter);
	const { items, isWhole, isLoading, problem, clockOffset, more } = useExecutions(applied);
	const now = useNow(items.some(({ finishedAt }) => finishedAt === undefined)) + clockOffset;
	const isFiltered = JSON.stringify(applied) !== JSON.stringify(NO_FILTER);
	const isNarrow = useNarrow();
	return (
		<main class="filling">
			<h1>Executions</h1>
			<Filters filter={filter} setFilter={setFilter} />
			<p class="faint" role="status">
				{problem?.message ?? said(items.length, isWhole, isLoading)}
			</p>
			{items.length > 0 ? (
				<>
					<div class="row head" aria-hidden="true">
						<span>State</span>
						<span>Inputs</span>
						<span>Started</span>
						<span>Took</span>
						<span>Tokens</span>
						<span>By</span>
					</div>
					<VirtualList
						label="Executions"
						count={items.length}
						rowHeight={isNarrow ? 84 : 48}
						keyOf={(index) => items[index]?.key ?? index}
						row={(index) => <Row summary={items[index]} now={now} />}
						onEnd={more}
					/>
				</>
			) : (
				isWhole && <Empty isFiltered={isFiltered} crew={crew} />
			)}
		</main>
	);
}

function said(shown: number, isWhole: boolean, isLoading: boolean): string {
	if (isLoading && shown === 0) return 'Looking …';
	return isWhole ? `${count(shown)} in all` : `The newest ${count(shown)}; scroll for more`;
}

function Empty({ isFiltered, crew }: { isFiltered: boolean; crew: CrewView }) {
	if (isFiltered) return <p class="empty">None found. Change the search above.</p>;
	return (
		<div class="empty">
			<p>Nothing has run yet.</p>
			<a class="button primary" href={addressOf({ view: 'start' })}>
				Start {crew.name}
			</a>
		</div>
	);
}

function Row({ summary, now }: { summary?: Summary; now: number }) {
	if (!summary) return null;
	const { kickoffId, status, inputs, startedAt, finishedAt = now, tokenUsage, tasks } = summary;
	const by = summary.owner === 'user' ? 'User token' : 'Access token';
	return (
		<a class="row" href={addressOf({ view: 'execution', id: kickoffId, tab: 'timeline' })}>
			<span>
				<Badge state={status} word={STATUS_WORDS[status]} />
			</span>
			<span class="inputs">
				<span class="clip">{summary.error ?? brief(inputs)}</span>
				<span class="faint clip">
					{status === 'running' && `${tasks.completed} of ${tasks.all} tasks · `}
					<code>{kickoffId}</code>
				</span>
			</span>
			<span title={wholeMoment(startedAt)}>{moment(startedAt, now)}</span>
			<span class="number">{duration(finishedAt - startedAt)}</span>
			<span class="number">
				{count(tokenUsage.total_tokens)}
				<span class="unit"> tokens</span>
			</span>
			<span class="faint by">{by}</span>
		</a>
	);
}

/** `{"topic": "tea", "year": 2026}` -> `topic: tea · year: 2026` */
function brief(json: string): string {
	try {
		const inputs = JSON.parse(json) as Record<string, unknown>;
		const fields = Object.entries(inputs).map(
			([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
		);
		return fields.length === 0 ? 'No inputs' : fields.join(' · ');
	} catch {
		// Only the beginning of a longer text is here.
		return json.replace(/^\{"([^"]*)":"?/, '$1: ');
	}
}

function Filters({ filter, setFilter }: { filter: Filter; setFilter: (filter: Filter) => void }) {
	const statuses = Object.entries(STATUS_WORDS).filter(([status]) => status !== 'queued');
	return (
		<form
			class="filters"
			role="search"
			onSubmit={(event) => {
				event.preventDefault();
			}}
		>
			<label class="grow">
				<span>Search</span>
				<input
					type="search"
					placeholder="ID, inputs or meta"
					value={filter.text}
					onInput={({ currentTarget }) => {
						setFilter({ ...filter, text: currentTarget.value });
					}}
				/>
			</label>
			<label>
				<span>State</span>
				<select
					value={filter.status ?? ''}
					onChange={({ currentTarget }) => {
						setFilter({
							...filter,
							status: (currentTarget.value || undefined) as Status | undefined,
						});
					}}
				>
					<option value="">Any</option>
					{statuses.map(([status, word]) => (
						<option key={status} value={status}>
							{word}
						</option>
					))}
				</select>
			</label>
			{(['from', 'to'] as const).map((end) => (
				<label key={end}>
					<span>{end === 'from' ? 'From' : 'To'}</span>
					<input
						type="date"
						value={filter[end]}
						onChange={({ currentTarget }) => {
							setFilter({ ...filter, [end]: currentTarget.value });
						}}
					/>
				</label>
			))}
		</form>
	);
}

/** The filter, once nobody has typed for a moment. */
function useSettled(filter: Filter): Filter {
	const [settled, setSettled] = useState(filter);
	useEffect(() => {
		const timer = setTimeout(() => {
			setSettled(filter);
		}, TYPING);
		return () => {
			clearTimeout(timer);
		};
	}, [filter]);
	return settled;
}

const NARROW = '(max-width: 700px)';

function useNarrow(): boolean {
	const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches);
	useEffect(() => {
		const media = matchMedia(NARROW);
		const look = () => {
			setIsNarrow(media.matches);
		};
		media.addEventListener('change', look);
		return () => {
			media.removeEventListener('change', look);
		};
	}, []);
	return isNarrow;
}
