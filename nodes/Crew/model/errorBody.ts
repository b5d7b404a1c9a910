import { firstText, isRecord, own } from './json';

/** What a crew says in the body of an unsuccessful answer; absent if it says nothing. */
export interface ErrorBody {
	message?: string;
	/** Names of required inputs that were not sent. */
	missingInputs: string[];
}

/**
 * Reads an error body: the documented `{error, message, details}`, also inside `detail` or `error`, a
 * framework's `{detail}` as text or as a list, or bare text. Anything else is ignored.
 */
export function readErrorBody(body: unknown): ErrorBody {
	if (typeof body === 'string') {
		return { message: body.trim() || undefined, missingInputs: namesInText(body) };
	}
	const parts = [body, own(body, 'detail'), own(body, 'error')].filter(isRecord);
	const list = [body, own(body, 'detail'), own(body, 'errors')].find((part) => Array.isArray(part));
	const entries = (list ?? []).map(readEntry);
	const message =
		firstOf(parts, 'message', 'detail', 'msg') ??
		(entries.map(lineOf).filter(isFilled).join('; ') || undefined) ??
		firstOf(parts, 'error', 'title', 'reason');
	return {
		message,
		missingInputs: [
			...new Set([
				...namesInText(message),
				...parts.flatMap((part) => readNames(own(part, 'missing_inputs'))),
				...parts.flatMap((part) => readNames(own(own(part, 'details'), 'missing_inputs'))),
				...entries.filter(({ isMissing }) => isMissing).map(({ name }) => name),
			]),
		],
	};
}

/** `Missing inputs: audience, topic`, or `['audience', 'topic']` after the colon -> its names. */
function namesInText(message = ''): string[] {
	const [, names = ''] = /^\s*missing (?:required )?inputs?: *(\S.*)$/i.exec(message) ?? [];
	return (
		names
			.replace(/\.\s*$/, '')
			// As Python writes a list.
			.replace(/["'[\]]/g, '')
			.split(',')
			.map((name) => name.trim())
			.filter(isFilled)
	);
}

function firstOf(parts: unknown[], ...names: string[]): string | undefined {
	return parts.map((part) => firstText(part, ...names)).find((text) => text !== undefined);
}

/** One entry of a framework's list: `{loc: ["body", "inputs", "topic"], msg, type}`, or text. */
interface Entry {
	name: string;
	text?: string;
	isMissing: boolean;
}

function readEntry(entry: unknown): Entry {
	if (typeof entry === 'string') return { name: '', text: entry, isMissing: false };
	const name = readLocation(own(entry, 'loc'));
	return {
		name,
		text: firstText(entry, 'msg', 'message'),
		isMissing: name !== '' && /missing/.test(firstText(entry, 'type') ?? ''),
	};
}

/** The name of an input comes after `body` and `inputs`. */
function readLocation(location: unknown): string {
	const parts: unknown[] = Array.isArray(location) ? location : [];
	const path = parts.filter((part) => typeof part === 'string' || typeof part === 'number');
	if (path[0] === 'body') path.shift();
	if (path[0] === 'inputs' && path.length > 1) path.shift();
	return path.join('.');
}

function lineOf({ name, text }: Entry): string {
	return [name, text].filter(Boolean).join(': ');
}

function isFilled(text: string): boolean {
	return text.trim() !== '';
}

function readNames(value: unknown): string[] {
	const names: unknown[] = Array.isArray(value) ? value : [];
	return names
		.map((name) => (typeof name === 'string' ? name : firstText(name, 'name')))
		.filter((name) => name !== undefined);
}
