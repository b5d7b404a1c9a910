import { firstText, isRecord, own } from './json';

/** What a crew says in the body of an answer that is no success; absent where it says nothing. */
export interface ErrorBody {
	message?: string;
	/** Names of required inputs that were not sent. */
	missingInputs: string[];
}

/**
 * Reads an error body: the documented `{error, message, details}`, a framework's `{detail}` as text
 * or as a list, or `{error: {message}}`. Anything else, HTML say, tells nothing.
 */
export function readErrorBody(body: unknown): ErrorBody {
	const detail = own(body, 'detail');
	if (Array.isArray(detail)) return readDetailList(detail);
	const inner = isRecord(detail) ? detail : own(body, 'error');
	return {
		message:
			firstText(body, 'message', 'detail') ??
			firstText(inner, 'message') ??
			firstText(body, 'error'),
		missingInputs: names(
			own(own(body, 'details'), 'missing_inputs') ?? own(detail, 'missing_inputs'),
		),
	};
}

function readDetailList(entries: unknown[]): ErrorBody {
	const problems = entries.map((entry) => {
		const location = own(entry, 'loc');
		const path = Array.isArray(location)
			? location.slice(1).filter((part) => part !== 'inputs')
			: [];
		return {
			name: path.join('.'),
			text: firstText(entry, 'msg', 'message'),
			type: own(entry, 'type'),
		};
	});
	const isMissing = (type: unknown) => typeof type === 'string' && /missing/.test(type);
	return {
		message:
			problems
				.map(({ name, text }) => [name, text].filter(Boolean).join(': '))
				.filter((line) => line !== '')
				.join('; ') || undefined,
		missingInputs: problems
			.filter(({ type, name }) => isMissing(type) && name)
			.map(({ name }) => name),
	};
}

function names(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
