import type { IExecuteFunctions, ILoadOptionsFunctions, IWebhookFunctions } from 'n8n-workflow';
import { asText, isRecord, parseJson, type JsonRecord } from '../model/json';
import { noAnswer } from './noAnswer';
import { withTimeLimit } from './timeLimit';

/** A part of n8n that can send requests with the node's credential. */
export type CrewContext = IExecuteFunctions | ILoadOptionsFunctions | IWebhookFunctions;

export interface CrewRequest {
	method: 'GET' | 'POST';
	/** Below the base URL, encoded, starts with a slash. */
	path: string;
	body?: JsonRecord;
	/** Milliseconds. */
	timeout: number;
	abortSignal?: AbortSignal;
}

/** Whatever the server answered, whether it means success or not. */
export interface CrewResponse {
	status: number;
	headers: JsonRecord;
	/** The body read as JSON, `undefined` where it is none. */
	body: unknown;
	text: string;
}

/** Sends one request once. Rejects with a `CrewApiError` where no answer came. */
export type Send = (request: CrewRequest) => Promise<CrewResponse>;

/** What the credential `crewApi` holds; see `credentials/CrewApi.credentials.ts`. */
export interface CrewCredential {
	baseUrl: string;
	accessToken: string;
	callbackSecret?: string;
}

/**
 * Sends requests to `baseUrl` through n8n's own helper, which adds the access token. The credential
 * is decrypted once, by the caller, and not again for each request.
 */
export function sendThroughN8n(
	context: CrewContext,
	baseUrl: string,
	credential: CrewCredential,
): Send {
	const { id = '', name = '' } = context.getNode().credentials?.crewApi ?? {};
	const credentialsDecrypted = { id: id ?? '', name, type: 'crewApi', data: { ...credential } };
	return async ({ method, path, body, timeout, abortSignal }) => {
		const request = {
			method,
			url: baseUrl + path,
			body,
			timeout,
			headers: { Accept: 'application/json' },
			encoding: 'text',
			returnFullResponse: true,
			// A status code is read here, and a redirect must not carry the token elsewhere.
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		} as const;
		try {
			return await withTimeLimit(timeout, abortSignal, async (signal) => {
				const sender = endedBy(context, signal);
				const answer: unknown = await sender.helpers.httpRequestWithAuthentication.call(
					sender,
					'crewApi',
					request,
					{ credentialsDecrypted },
				);
				return readAnswer(answer);
			});
		} catch (error) {
			throw noAnswer(error, method, timeout);
		}
	};
}

/**
 * n8n's helper cuts every request off when the execution is cancelled, whatever signal it is given.
 * What may start a crew is to be heard out, and a stop is to be sent then of all times.
 */
function endedBy<T extends CrewContext>(context: T, signal: AbortSignal): T {
	return Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as T;
}

/** Reads the full response of either of n8n’s request helpers. */
export function readAnswer(answer: unknown): CrewResponse {
	const { statusCode, headers, body } = isRecord(answer) ? answer : {};
	const text = asText(body) ?? '';
	return {
		status: Number(statusCode),
		headers: isRecord(headers) ? { ...headers } : {},
		body: typeof body === 'string' ? parseJson(text) : body,
		text,
	};
}
