/* global sessionStorage */
import { element } from './elements.js';
import { readEvents } from './events.js';

const RECONNECT_AFTER = 1_000;

/** Browsers open few connections to one address: the events of one execution are followed at a time. */
let following = new AbortController();

/** The events of an execution, from the API's own `GET /{kickoff_id}/events`, as long as the part is open. */
export function eventsPart(kickoffIdOf) {
	const list = element('ol', { class: 'events' });
	const root = element('details', { class: 'followed' }, [element('summary', {}, 'Events'), list]);
	let last;
	const show = (event) => {
		last = event.id;
		list.append(eventLine(event));
	};
	root.addEventListener('toggle', () => {
		if (!root.open) return;
		following.abort();
		following = new AbortController();
		void follow(kickoffIdOf(), () => last, show, following.signal);
	});
	return root;
}

function eventLine({ timestamp, type, data }) {
	const time = new Date(timestamp).toLocaleTimeString();
	return element('li', {}, [
		element('span', { class: 'faint' }, time),
		` ${type} `,
		element('code', {}, JSON.stringify(data)),
	]);
}

async function follow(kickoffId, lastId, show, signal) {
	while (!signal.aborted) {
		try {
			const last = lastId();
			const response = await fetch(`${kickoffId}/events`, {
				headers: {
					authorization: `Bearer ${sessionStorage.getItem('token')}`,
					...(last ? { 'last-event-id': last } : {}),
				},
				signal,
			});
			if (response.ok) {
				for await (const event of readEvents(response.body)) show(event);
				return;
			}
		} catch {
			// The next try goes on where this one was cut off.
		}
		await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER));
	}
}
