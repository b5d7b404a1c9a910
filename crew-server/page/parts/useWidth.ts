import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The width of an element, kept up to date. */
export function useWidth(): [{ current: HTMLDivElement | null }, number] {
	const place = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(600);
	useLayoutEffect(() => {
		const box = place.current;
		if (!box) return undefined;
		const observer = new ResizeObserver(() => {
			setWidth(box.clientWidth);
		});
		observer.observe(box);
		return () => {
			observer.disconnect();
		};
	}, []);
	return [place, width];
}
