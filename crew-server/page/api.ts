/** What this page asks the server: the API's own routes, and those under `page/`, with the token that was given. */

const TOKEN = 'token';

/** Milliseconds after which a request counts as lost. */
const PATIENCE = 20_000;

/** Removes the token from the address, so that it is neither copied nor kept in the history. */
export function takeToken(): string | undefined {
	const given = new URLSearchParams(location.hash.replace(/^#\/?/, '')).get('token');
	if (given !== null) {
		keepToken(given);
		history.replaceState(null, '', location.pathname);
	}
	return sessionStorage.getItem(TOKEN) ?? undefined;
}

export function keepToken(token: string): void {
	sessionStorage.setItem(TOKEN, token);
}

export function forgetToken(): void {
	sessionStorage.removeItem(TOKEN);
}

export function token(): string {
	return sessionStorage.getItem(TOKEN) ?? '';
}

/** An answer other than success; `status` is 0 if there was none. */
export class ApiProblem extends Error {
	constructor(
		readonly status: number,
		message: string,
		/** What is wrong with inputs, by their names. */
		readonly inputs: Readonly<Record<string, string>> = {},
	) {
		super(message);
	}
}

export interface Answer<T> {
	value: T;
	etag?: string;
}

/** @returns `undefined` if the answer is still that of the `etag` */
export async function ask<T>(path: string, etag?: string): Promise<Answer<T> | undefined> {
	const response = await send(path, {
		headers: etag === undefined ? undefined : { 'if-none-match': etag },
	});
	if (response.status === 304) return undefined;
	return {
		value: (await read(response)) as T,
		etag: response.headers.get('etag') ?? undefined,
	};
}

export async function get<T>(path: string): Promise<T> {
	return (await read(await send(path, {}))) as T;
}

export async function post<T>(path: string, body?: unknown): Promise<T> {
	const headers = { 'content-type': 'application/json' };
	return (await read(
		await send(path, { method: 'POST', headers, body: JSON.stringify(body) }),
	)) as T;
}

/** A path with its query, without undefined parameters. */
export function withQuery(
	path: string,
	query: Record<string, string | number | undefined>,
): string {
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
	const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
	return text === '' ? path : `${path}?${text}`;
}

async function send(
	path: string,
	{ headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
): Promise<Response> {
	try {
		return await fetch(path, {
			...init,
			cache: 'no-store',
			signal: AbortSignal.timeout(PATIENCE),
			headers: { ...headers, authorization: `Bearer ${token()}` },
		});
	} catch {
		throw new ApiProblem(0, 'The crew server does not answer.');
	}
}

async function read(response: Response): Promise<unknown> {
	const text = await response.text().catch(() => '');
	let body: unknown = text;
	try {
		body = JSON.parse(text);
	} catch {
		// A proxy may send any answer.
	}
	if (response.ok) return body;
	throw problemOf(response.status, body);
}

interface RefusalBody {
	message?: string;
	details?: {
		missing_inputs?: string[];
		invalid_fields?: Array<{ field: string; message: string }>;
	};
	detail?: string | Array<{ loc?: unknown[]; msg?: string }>;
}

/** Refusals come as the API documents them, or as web frameworks write them. */
function problemOf(status: number, body: unknown): ApiProblem {
	const {
		message,
		details = {},
		detail,
	} = (typeof body === 'object' && body !== null ? body : {}) as RefusalBody;
	const fields: Array<[string, string]> = [
		...(details.missing_inputs ?? []).map((name): [string, string] => [name, 'is required']),
		...(details.invalid_fields ?? []).map(({ field, message: text }): [string, string] => [
			field.replace(/^inputs\./, ''),
			text,
		]),
		...(Array.isArray(detail) ? detail : []).map(({ loc = [], msg = '' }): [string, string] => [
			loc.filter((part) => part !== 'body' && part !== 'inputs').join('.'),
			msg,
		]),
	];
	const text = message ?? (typeof detail === 'string' ? detail : undefined);
	return new ApiProblem(
		status,
		text ?? `The crew server answered ${status}.`,
		Object.fromEntries(fields),
	);
}
