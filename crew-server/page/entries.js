import { element, put, putWord } from './elements.js';
import { eventsPart } from './follow.js';
import { reviewForm } from './review.js';

const timeOf = (at) => new Date(at).toLocaleTimeString();
const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** An execution: its progress in one line, and each task's output below. */
export function executionEntry() {
	const word = element('span', { class: 'word' });
	const bar = element('progress', { 'aria-label': 'Completed tasks' });
	const count = element('span', { class: 'faint' });
	const inputs = element('span', { class: 'path' });
	const id = element('code');
	const error = element('p', { class: 'word', 'data-word': 'failed' });
	const review = element('div');
	const tasks = element('div');
	const events = eventsPart(() => id.textContent);
	const root = element('details', {}, [
		element('summary', {}, [word, bar, count, inputs]),
		element('div', { class: 'body' }, [
			element('p', { class: 'faint' }, id),
			error,
			tasks,
			review,
			events,
		]),
	]);
	let asked = '';
	return {
		root,
		update(execution) {
			const done = execution.tasks.filter(({ state }) => state === 'completed').length;
			putWord(word, execution.state);
			bar.max = execution.tasks.length;
			bar.value = done;
			put(count, `${done} of ${execution.tasks.length} tasks`);
			put(inputs, `${timeOf(execution.startedAt)} ${JSON.stringify(execution.inputs)}`);
			put(id, execution.kickoffId);
			put(error, execution.error ?? '');
			tasks.replaceChildren(...execution.tasks.map(taskPart));
			const waiting = execution.tasks.find(({ state }) => state === 'pending_human_input');
			const isAsked = execution.state === 'pending_human_input' && waiting;
			const question = isAsked ? `${waiting.taskId} ${waiting.attempts}` : '';
			if (question === asked) return;
			asked = question;
			review.replaceChildren(...(isAsked ? [reviewForm(execution, waiting)] : []));
			if (isAsked) root.open = true;
		},
	};
}

function taskPart({ taskId, agent, state, attempts, output }) {
	const word = element('span', { class: 'word' });
	putWord(word, state);
	const times = attempts > 1 ? `, try ${attempts}` : '';
	return element('div', {}, [
		element('h3', {}, [element('code', {}, taskId), ` by ${agent}${times}: `, word]),
		...(output === undefined ? [] : [element('pre', { tabindex: '0' }, output)]),
	]);
}

/** A request with its answer. */
export function requestEntry() {
	const word = element('span', { class: 'word' });
	const line = element('span', { class: 'path' });
	const time = element('span', { class: 'faint' });
	const parts = element('div', { class: 'body' });
	const root = element('details', {}, [element('summary', {}, [word, line, time]), parts]);
	return {
		root,
		update({ at, method, path, status, isOpen, body, answer }) {
			putWord(word, String(status ?? (isOpen ? 'running' : 'dropped')));
			put(line, `${method} ${path}`);
			put(time, timeOf(at));
			parts.replaceChildren(...part('Sent', body), ...part('Answered', answer));
		},
	};
}

/** A callback with its fate. */
export function callbackEntry() {
	const word = element('span', { class: 'word' });
	const line = element('span', { class: 'path' });
	const answer = element('span', { class: 'faint' });
	const parts = element('div', { class: 'body' });
	const root = element('details', {}, [element('summary', {}, [word, line, answer]), parts]);
	return {
		root,
		update({ kind, url, fate, status, problem, attempts, body }) {
			putWord(word, fate);
			put(line, `${kind.replaceAll('_', ' ')} → ${url}`);
			put(answer, problem ?? (status === undefined ? '' : `answered ${status}`));
			const tries = attempts.map(
				({ at, status: code, problem: why }) => `${timeOf(at)} ${why ?? `answered ${code}`}`,
			);
			parts.replaceChildren(...part('Tries', tries.join('\n')), ...part('Sent', body));
		},
	};
}

function part(title, value) {
	if (value === undefined || value === '') return [];
	return [element('h3', {}, title), element('pre', { tabindex: '0' }, asText(value))];
}
