import type { FastifyInstance } from 'fastify';

import { Refusal } from './refusals';

/** Levels of lists and objects in a body: Python reads no more than about a thousand, and Node.js writes a few thousand. */
const DEEPEST = 500;
/** Values in lists and objects of a body. */
const MOST_VALUES = 50_000;

/** Has bodies read as JSON, whatever names their fields have, and only that; requests have them as `text`, too. */
export function takeJsonOnly(app: FastifyInstance): void {
	app.decorateRequest('text', '');
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
		try {
			const text = body.toString();
			request.setDecorator('text', text);
			done(null, jsonOf(text));
		} catch (error) {
			done(error as Error);
		}
	});
}

/** Some clients announce JSON on every POST, also if there is nothing to send, as for a stop. */
function jsonOf(text: string): unknown {
	if (text === '') return undefined;
	// Before it is read, which takes seconds if it is deep, or has millions of values.
	const excess = excessOf(text);
	if (excess !== undefined) {
		throw new Refusal(400, `Invalid input format: the body has more than ${excess}`);
	}
	try {
		return JSON.parse(text);
	} catch {
		throw new Refusal(400, 'Invalid input format: the body is not JSON', [], 'no_json');
	}
}

/** What is wrong with the size of a body, if anything is. */
function excessOf(text: string): string | undefined {
	let depth = 0;
	let values = 1;
	for (let index = 0; index < text.length; index++) {
		const sign = text[index];
		if (sign === '"') {
			index = endOfText(text, index);
			if (index === -1) return undefined;
		} else if (sign === ',') values += 1;
		else if (sign === '[' || sign === '{') depth += 1;
		else if (sign === ']' || sign === '}') depth -= 1;
		if (depth > DEEPEST) return `${DEEPEST} levels`;
		if (values > MOST_VALUES) return `${MOST_VALUES} values`;
	}
	return undefined;
}

/** Where the text ends that begins at `start`, which may have millions of characters; -1 if it does not end. */
function endOfText(text: string, start: number): number {
	let end = start;
	do {
		end = text.indexOf('"', end + 1);
	} while (end !== -1 && isEscaped(text, end));
	return end;
}

function isEscaped(text: string, at: number): boolean {
	let backslashes = 0;
	while (text[at - 1 - backslashes] === '\\') backslashes += 1;
	return backslashes % 2 === 1;
}
