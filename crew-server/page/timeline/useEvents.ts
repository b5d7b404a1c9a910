import { useEffect, useRef, useState } from 'preact/hooks';

import { get, withQuery } from '../api';
import type { EventsView } from '../wire';
import { Spans } from './spans';

/**
 * The spans that follow from the events of an execution.
 *
 * @param known how many events there are: as that grows, the new ones are read
 */
export function useSpans(
	id: string,
	known: number,
): { spans: Spans; version: number; missing: number } {
	const spans = useRef(new Spans());
	const [version, setVersion] = useState(0);
	const isReading = useRef(false);
	const first = useRef<number | undefined>(undefined);
	useEffect(() => {
		let isOver = false;
		const read = async () => {
			for (;;) {
				const { last } = spans.current;
				const { events, hasMore } = await get<EventsView>(
					withQuery('page/events', { id, after: last }),
				);
				if (isOver) return;
				first.current ??= events[0]?.number;
				spans.current.add(events);
				if (events.length > 0) setVersion(spans.current.last);
				if (!hasMore) return;
			}
		};
		if (!isReading.current && spans.current.last < known) {
			isReading.current = true;
			read()
				.catch(() => undefined)
				.finally(() => {
					isReading.current = false;
				});
		}
		return () => {
			isOver = true;
			isReading.current = false;
		};
	}, [id, known]);
	return { spans: spans.current, version, missing: Math.max(0, (first.current ?? 1) - 1) };
}
