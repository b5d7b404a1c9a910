import type { JsonRecord } from '../model/json';

export interface CrewRequest {
	method: 'GET' | 'POST';
	/** Below the base URL, encoded, starts with a slash. */
	path: string;
	body?: JsonRecord;
	/** The key by which a crew recognizes a repeated request, if it keeps keys. */
	key?: string;
	/** Milliseconds. */
	timeout: number;
	abortSignal?: AbortSignal;
}

/** Whatever the server answered, whether it means success or not. */
export interface CrewResponse {
	status: number;
	headers: JsonRecord;
	/** The body read as JSON, `undefined` if it is none. */
	body: unknown;
	text: string;
}

/** Sends one request once. Rejects with a `CrewApiError` if no answer came. */
export type Send = (request: CrewRequest) => Promise<CrewResponse>;
