/* global document, location, sessionStorage, history */
import { element, put, showList } from './elements.js';
import { callbackEntry, executionEntry, requestEntry } from './entries.js';
import { readEvents } from './events.js';

/** The page: reads the deployment's changes as they come, and keeps what is shown in step. */

const byId = (id) => document.getElementById(id);
const RECONNECT_AFTER = 1_000;

function takeToken() {
	const given = new URLSearchParams(location.hash.slice(1)).get('token');
	if (given) {
		sessionStorage.setItem('token', given);
		// A token has no place in an address that is copied or kept in the history.
		history.replaceState(null, '', location.pathname);
	}
	return sessionStorage.getItem('token');
}

function askForToken(reason) {
	byId('connection').textContent = reason;
	byId('deployment').hidden = true;
	byId('sign-in').hidden = false;
	byId('token').focus();
}

function showCrew(crew) {
	document.title = `${crew.name} · crew server`;
	put(byId('name'), crew.name);
	put(byId('description'), crew.description ?? '');
	const inputs = crew.inputs.map(({ name, type, required, description }) =>
		element('li', {}, [
			element('code', {}, name),
			` ${type}${required ? ', required' : ''}${description ? `: ${description}` : ''}`,
		]),
	);
	byId('inputs').replaceChildren(...(inputs.length > 0 ? inputs : [element('li', {}, 'none')]));
	byId('tasks').replaceChildren(
		...crew.tasks.map(({ name, agent, humanInput }) =>
			element('li', {}, [
				element('code', {}, name),
				` by ${agent}${humanInput ? ', asks a person' : ''}`,
			]),
		),
	);
}

function apply({ crew, executions, requests, callbacks }) {
	if (crew) showCrew(crew);
	showList('executions', executions, ({ kickoffId }) => kickoffId, executionEntry);
	showList('requests', requests, ({ id }) => id, requestEntry);
	showList('callbacks', callbacks, ({ id }) => id, callbackEntry);
}

async function follow(token) {
	for (;;) {
		try {
			const response = await fetch('page/changes', {
				headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
			});
			if (response.status === 401) {
				sessionStorage.removeItem('token');
				askForToken('That token is not the access token of this crew.');
				return;
			}
			byId('sign-in').hidden = true;
			byId('deployment').hidden = false;
			byId('connection').textContent = 'Live';
			for await (const changes of readEvents(response.body)) apply(changes);
		} catch {
			// The next try tells whether the crew is there again.
		}
		byId('connection').textContent = 'The crew does not answer; trying again ...';
		await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER));
	}
}

byId('sign-in').addEventListener('submit', (event) => {
	event.preventDefault();
	sessionStorage.setItem('token', byId('token').value.trim());
	void follow(sessionStorage.getItem('token'));
});

const token = takeToken();
if (token) void follow(token);
else askForToken('The access token is needed.');
