import { useEffect, useState } from 'preact/hooks';

/** What the page shows: each view and each execution has an address, without a token. */
export type Route =
	| { view: 'executions' }
	| { view: 'start'; from?: string }
	| { view: 'execution'; id: string; tab: Tab }
	| { view: 'connect' }
	| { view: 'reference' }
	| { view: 'requests' };

export const TABS = ['timeline', 'output', 'callbacks', 'log', 'details'] as const;
export type Tab = (typeof TABS)[number];

function parseRoute(hash: string): Route {
	const [view = '', id = '', tab] = hash.replace(/^#\/?/, '').split('/').map(decodePart);
	if (view === 'executions' && id !== '') {
		return { view: 'execution', id, tab: TABS.find((one) => one === tab) ?? 'timeline' };
	}
	if (view === 'start') return { view, from: id === '' ? undefined : id };
	if (view === 'connect' || view === 'reference' || view === 'requests') return { view };
	return { view: 'executions' };
}

function decodePart(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

export function addressOf(route: Route): string {
	if (route.view === 'execution') {
		const tab = route.tab === 'timeline' ? '' : `/${route.tab}`;
		return `#/executions/${encodeURIComponent(route.id)}${tab}`;
	}
	if (route.view === 'start' && route.from !== undefined) {
		return `#/start/${encodeURIComponent(route.from)}`;
	}
	return `#/${route.view}`;
}

export function go(route: Route): void {
	location.hash = addressOf(route);
}

/** Shows the same view under another address, without a new entry in the history. */
export function goOnAs(route: Route): void {
	location.replace(addressOf(route));
}

export function useRoute(): Route {
	const [route, setRoute] = useState(() => parseRoute(location.hash));
	useEffect(() => {
		const take = () => {
			setRoute(parseRoute(location.hash));
		};
		addEventListener('hashchange', take);
		return () => {
			removeEventListener('hashchange', take);
		};
	}, []);
	return route;
}
