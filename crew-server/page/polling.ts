import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { ApiProblem, ask } from './api';

/** Milliseconds between two requests, and after one that was not answered. */
const PACE = 1_000;
const PACE_OF_RETRIES = 2_000;

export interface Polled<T> {
	value?: T;
	problem?: ApiProblem;
	/** Asks at once. */
	refresh: () => void;
}

/**
 * Polls while the page is visible and `isLive`: hidden pages cost the server nothing, and none keeps one of the
 * browser's few connections.
 */
export function usePolling(work: () => Promise<void>, isLive: boolean, key: string): () => void {
	const latest = useRef(work);
	latest.current = work;
	const wake = useRef<() => void>(() => undefined);
	useEffect(() => {
		const poll = new Poll(() => latest.current(), isLive);
		const look = () => {
			if (!document.hidden) poll.ask();
		};
		wake.current = () => {
			poll.ask();
		};
		poll.ask();
		document.addEventListener('visibilitychange', look);
		return () => {
			poll.end();
			document.removeEventListener('visibilitychange', look);
		};
	}, [key, isLive]);
	return useCallback(() => {
		wake.current();
	}, []);
}

/** One request after the other, with a pause in between. */
class Poll {
	private timer = 0;
	private isAsking = false;
	/** Whether to ask once more, since something may have changed during the last request. */
	private isStale = false;
	private isOver = false;

	constructor(
		private readonly work: () => Promise<void>,
		private readonly isLive: boolean,
	) {}

	ask(): void {
		this.isStale = this.isAsking;
		if (this.isAsking || this.isOver) return;
		clearTimeout(this.timer);
		this.isAsking = true;
		const goOn = (pace: number) => {
			this.isAsking = false;
			this.plan(pace);
		};
		this.work().then(
			() => {
				goOn(PACE);
			},
			() => {
				goOn(PACE_OF_RETRIES);
			},
		);
	}

	end(): void {
		this.isOver = true;
		clearTimeout(this.timer);
	}

	private plan(pace: number): void {
		if (this.isStale) this.ask();
		else if (this.isLive && !this.isOver && !document.hidden) {
			this.timer = setTimeout(() => {
				this.ask();
			}, pace);
		}
	}
}

/** The answer of a path, kept up to date. */
export function usePolled<T>(path: string, isLive: (value: T | undefined) => boolean): Polled<T> {
	const [state, setState] = useState<{ path: string; value?: T; problem?: ApiProblem }>({ path });
	const mark = useRef<{ path: string; etag?: string }>({ path });
	const current = state.path === path ? state : { path };
	const refresh = usePolling(
		async () => {
			if (mark.current.path !== path || state.problem) mark.current = { path };
			const own = mark.current;
			try {
				const answer = await ask<T>(path, own.etag);
				if (!answer) return;
				own.etag = answer.etag;
				setState({ path, value: answer.value });
			} catch (error) {
				if (!(error instanceof ApiProblem)) throw error;
				setState((before) => ({
					path,
					value: before.path === path ? before.value : undefined,
					problem: error,
				}));
				throw error;
			}
		},
		isLive(current.value) || current.problem?.status === 0,
		path,
	);
	return { value: current.value, problem: current.problem, refresh };
}
