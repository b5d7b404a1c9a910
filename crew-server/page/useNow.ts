import { useEffect, useState } from 'preact/hooks';

/** The time, updated every second while something is running. */
export function useNow(isTicking: boolean): number {
	const [now, setNow] = useState(Date.now);
	useEffect(() => {
		if (!isTicking) return undefined;
		const timer = setInterval(() => {
			setNow(Date.now());
		}, 1_000);
		return () => {
			clearInterval(timer);
		};
	}, [isTicking]);
	return isTicking ? now : Math.max(now, Date.now());
}
