/* global document */

/** Makes an element; all content is text or elements, never markup. */
export function element(name, attributes = {}, content = []) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
	made.append(...[content].flat());
	return made;
}

/** Changes a text only where it differs, so that a selection in it stays. */
export function put(target, text) {
	if (target.textContent !== text) target.textContent = text;
}

/** A state's word in its colour; the word itself tells the same to who sees no colour. */
export function putWord(target, word) {
	put(target, word.replaceAll('_', ' '));
	target.dataset.word = word;
}

const shown = new Map();

/**
 * Shows entries, the newest first, each in an element of its own that lives as long as its entry:
 * what a reader has opened, or typed into it, stays.
 */
export function showList(id, { order, changed }, keyOf, makeEntry) {
	const list = document.getElementById(id);
	const entries = shown.get(id) ?? new Map();
	shown.set(id, entries);
	for (const data of changed) {
		const key = String(keyOf(data));
		if (!entries.has(key)) entries.set(key, makeEntry());
		entries.get(key).update(data);
	}
	const wanted = order.map(String);
	for (const [key, { root }] of entries) {
		if (wanted.includes(key)) continue;
		root.remove();
		entries.delete(key);
	}
	let before = list.firstElementChild;
	for (const key of wanted) {
		const { root } = entries.get(key);
		if (root === before) before = before.nextElementSibling;
		else list.insertBefore(root, before);
	}
	document.getElementById(`no-${id}`).hidden = wanted.length > 0;
}
