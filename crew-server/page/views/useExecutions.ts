import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { ApiProblem, ask, get, withQuery } from '../api';
import { usePolling } from '../polling';
import type { ExecutionsView, Status, Summary } from '../wire';

/** How many executions are loaded at once. */
const PAGE = 100;

export interface Filter {
	status?: Status;
	text: string;
	/** Days, as in a date field. */
	from: string;
	to: string;
}

export const NO_FILTER: Filter = { text: '', from: '', to: '' };

function queryOf({ status, text, from, to }: Filter, before?: number): string {
	const day = (text: string, days: number) => {
		const [year = 0, month = 1, date = 1] = text.split('-').map(Number);
		return text === '' ? undefined : new Date(year, month - 1, date + days).getTime();
	};
	return withQuery('page/executions', {
		limit: PAGE,
		before,
		status,
		text,
		from: day(from, 0),
		to: day(to, 1),
	});
}

interface Loaded {
	filter: Filter;
	items: Summary[];
	/** Where to continue; absent if that is all. */
	next?: number;
	clockOffset: number;
	isLoading: boolean;
	problem?: ApiProblem;
}

/** The executions that match a filter. The newest are kept up to date; older ones are loaded on demand. */
export function useExecutions(filter: Filter) {
	const [state, setState] = useState<Loaded>(() => nothing(filter));
	const loaded = state.filter === filter ? state : nothing(filter);
	const newest = useRef(filter);
	newest.current = filter;
	const change = (make: (before: Loaded) => Partial<Loaded>) => {
		// The answer belongs to an earlier filter.
		if (newest.current !== filter) return;
		setState((before) => {
			const current = before.filter === filter ? before : nothing(filter);
			return { ...current, ...make(current) };
		});
	};
	const look = useNewest(filter, loaded, change);
	usePolling(look, true, JSON.stringify(filter));
	const more = useMore(filter, loaded, change);
	const isWhole = !loaded.isLoading && loaded.next === undefined;
	return useMemo(() => ({ ...loaded, isWhole, more }), [loaded]);
}

type Change = (make: (before: Loaded) => Partial<Loaded>) => void;

/** @returns a function that checks for changes */
function useNewest(filter: Filter, { items }: Loaded, change: Change): () => Promise<void> {
	const known = useRef<{ filter: Filter; etag?: string }>({ filter });
	return async () => {
		try {
			if (known.current.filter !== filter) known.current = { filter };
			const own = known.current;
			const answer = await ask<ExecutionsView>(queryOf(filter), own.etag);
			if (!answer) return;
			own.etag = answer.etag;
			change((before) => merged(before, answer.value));
			for (const page of await pagesWithActive(filter, items)) {
				change((before) => ({ items: withNewer(before.items, page.found) }));
			}
		} catch (error) {
			if (!(error instanceof ApiProblem)) throw error;
			known.current.etag = undefined;
			change(() => ({ problem: error, isLoading: false }));
			throw error;
		}
	};
}

/** @returns a function that loads older ones, if there are any */
function useMore(filter: Filter, { next, items }: Loaded, change: Change): () => void {
	const isAsking = useRef(false);
	const more = () => {
		if (isAsking.current || next === undefined) return;
		isAsking.current = true;
		get<ExecutionsView>(queryOf(filter, next))
			.then(
				(answer) => {
					change((before) => ({
						items: withNewer(before.items, answer.found),
						next: answer.next,
					}));
				},
				(error: unknown) => {
					change(() => ({ problem: error as ApiProblem }));
				},
			)
			.finally(() => {
				isAsking.current = false;
			});
	};
	// An answer can be empty although there are more executions to search.
	useEffect(() => {
		if (items.length < PAGE) more();
	}, [next]);
	return more;
}

function nothing(filter: Filter): Loaded {
	return { filter, items: [], clockOffset: 0, isLoading: true };
}

/** The loaded executions with the newest ones; those that are gone from the store are removed. */
function merged(before: Loaded, { found, next, now }: ExecutionsView): Partial<Loaded> {
	const oldest = found.at(-1)?.key ?? Infinity;
	const older = next === undefined ? [] : before.items.filter(({ key }) => key < oldest);
	return {
		items: [...found, ...older],
		next: older.length > 0 ? before.next : next,
		clockOffset: now - Date.now(),
		isLoading: false,
		problem: undefined,
	};
}

function withNewer(items: readonly Summary[], found: readonly Summary[]): Summary[] {
	const all = new Map([...items, ...found].map((one) => [one.key, one]));
	return [...all.values()].sort((one, other) => other.key - one.key);
}

/** Running executions may be far below the newest ones. */
async function pagesWithActive(
	filter: Filter,
	items: readonly Summary[],
): Promise<ExecutionsView[]> {
	const active = items.slice(PAGE).filter(({ finishedAt }) => finishedAt === undefined);
	const first = active[0];
	if (!first) return [];
	return [await get<ExecutionsView>(queryOf(filter, first.key + 1))];
}
