import type { IExecuteFunctions, ILoadOptionsFunctions, IWebhookFunctions } from 'n8n-workflow';
import { asText, isRecord, parseJson } from '../model/json';
import { readText } from './answerText';
import type { CrewRequest, CrewResponse, Send } from '../api/exchange';
import { noAnswer } from './noAnswer';

/** A part of n8n that can send requests with the node's credential. */
export type CrewContext = IExecuteFunctions | ILoadOptionsFunctions | IWebhookFunctions;

/** The fields of the credential `crewApi`; see `credentials/CrewApi.credentials.ts`. */
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
	return async ({ method, path, body, key, timeout, abortSignal }) => {
		const request = {
			method,
			url: baseUrl + path,
			body,
			timeout,
			headers: { Accept: 'application/json', ...(key ? { 'Idempotency-Key': key } : {}) },
			// Read by our own code, up to a limit.
			encoding: 'stream',
			returnFullResponse: true,
			// Our own code handles status codes, and a redirect must not carry the token elsewhere.
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		} as const;
		return await exchange({ method, timeout, abortSignal }, async (signal) => {
			const sender = endedBy(context, signal);
			return (await sender.helpers.httpRequestWithAuthentication.call(sender, 'crewApi', request, {
				credentialsDecrypted,
			})) as unknown;
		});
	};
}

/**
 * Sends a request in its time, and reads the full response of either of n8n’s request helpers, whose
 * body comes as a stream.
 *
 * @param left milliseconds, if earlier requests have used up some of the time
 * @throws CrewApiError if no answer came
 */
export async function exchange(
	{ method, timeout, abortSignal }: Pick<CrewRequest, 'method' | 'timeout' | 'abortSignal'>,
	sendUntil: (signal: AbortSignal) => Promise<unknown>,
	left = timeout,
): Promise<CrewResponse> {
	try {
		return await withTimeLimit(left, abortSignal, async (signal) =>
			readAnswer(await sendUntil(signal), signal),
		);
	} catch (error) {
		throw noAnswer(error, method, timeout);
	}
}

/**
 * n8n's helper aborts all requests of a cancelled execution, whatever their signal. But the answer to
 * a kickoff is needed even then, and that is exactly when a stop has to be sent.
 */
function endedBy<T extends CrewContext>(context: T, signal: AbortSignal): T {
	return Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as T;
}

async function readAnswer(answer: unknown, signal: AbortSignal): Promise<CrewResponse> {
	const { statusCode, headers, body: sent } = isRecord(answer) ? answer : {};
	const body = await readText(sent, headers, signal);
	const text = asText(body) ?? '';
	return {
		status: Number(statusCode),
		headers: isRecord(headers) ? { ...headers } : {},
		body: typeof body === 'string' ? parseJson(text) : body,
		text,
	};
}

/**
 * Runs `work` until the time is up or `abortSignal` fires: then its signal fires, and `work` is no
 * longer awaited. n8n's own time limit does not end an endless answer as long as some data keeps
 * coming. The signal also fires if `work` fails, so that no connection is left behind.
 *
 * @throws an error with the code `ETIMEDOUT` if the time was up, `ERR_CANCELED` if the signal fired
 */
export async function withTimeLimit<T>(
	milliseconds: number,
	abortSignal: AbortSignal | undefined,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	// It accepts only whole numbers, and a remaining time often has a fraction.
	const timeIsUp = AbortSignal.timeout(Math.ceil(milliseconds));
	const ending = new AbortController();
	const end = () => {
		ending.abort();
	};
	const ended = new Promise<never>((_resolve, reject) => {
		ending.signal.addEventListener('abort', () => {
			const error = new Error('Ended before there was an answer');
			reject(Object.assign(error, { code: 'ERR_CANCELED' }));
		});
	});
	if (abortSignal?.aborted) end();
	timeIsUp.addEventListener('abort', end);
	abortSignal?.addEventListener('abort', end);
	try {
		return await Promise.race([work(ending.signal), ended]);
	} catch (error) {
		end();
		throw timeIsUp.aborted ? Object.assign(error as Error, { code: 'ETIMEDOUT' }) : error;
	} finally {
		timeIsUp.removeEventListener('abort', end);
		abortSignal?.removeEventListener('abort', end);
	}
}
