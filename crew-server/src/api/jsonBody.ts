import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { setImmediate as othersTurn } from 'node:timers/promises';

import { excessOf } from '../domain/json';
import { HttpError } from './httpError';

/** Values in lists and objects of a body. */
const MOST_VALUES = 50_000;
/** Characters of a large body: other requests get their turn between the steps of reading it. */
const LARGE = 100_000;

/** Reads bodies only as JSON, with any names of fields. Requests also have the body as `text`. */
export function takeJsonOnly(app: FastifyInstance): void {
	app.decorateRequest('text', '');
	app.removeAllContentTypeParsers();
	app.addContentTypeParser(
		'application/json',
		{ parseAs: 'buffer' },
		async (request: FastifyRequest, body: Buffer) => {
			const text = textOf(body, request.headers['content-encoding']);
			request.setDecorator('text', text);
			return await jsonOf(text);
		},
	);
}

/** As it is for JSON, whatever encoding its type names; a mark at its beginning says nothing. */
function textOf(body: Buffer, encoding = 'identity'): string {
	if (encoding !== 'identity') {
		throw new HttpError(400, 'Invalid input format: send the body without Content-Encoding');
	}
	if (!isUtf8(body)) throw new HttpError(400, 'Invalid input format: the body is not UTF-8');
	return body.toString().replace(/^\uFEFF/, '');
}

async function jsonOf(text: string): Promise<unknown> {
	// Some clients announce JSON on every POST, even with an empty body, as for a stop.
	if (text === '') return undefined;
	const turn = () => (text.length > LARGE ? othersTurn() : undefined);
	await turn();
	const excess = excessOf(text, MOST_VALUES);
	if (excess !== undefined) {
		throw new HttpError(400, `Invalid input format: the body has more than ${excess}`);
	}
	const value = parse(text);
	await turn();
	if (!HALF_CHARACTER.test(text)) return value;
	const whole = wellFormed(value);
	await turn();
	return whole;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new HttpError(400, 'Invalid input format: the body is not JSON', [], 'no_json');
	}
}

/** What may be half of a character. Only escapes can express that, not bytes. */
const HALF_CHARACTER = /\\ud[89a-f]/i;

/** The same value with U+FFFD for each half of a character: files cannot have them, and writing them takes V8 very long. */
function wellFormed(value: unknown): unknown {
	if (typeof value === 'string') return value.toWellFormed();
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map(wellFormed);
	return Object.fromEntries(
		Object.entries(value).map(([name, one]) => [name.toWellFormed(), wellFormed(one)]),
	);
}
