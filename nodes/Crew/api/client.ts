import { isRecord, type JsonRecord } from '../model/json';
import { readInputs, type CrewInput } from '../model/inputs';
import { readKickoffId } from '../model/kickoff';
import { refusal, unreadable, type Subject } from './errors';
import { whenNotArrived, whenTransient, withRetries } from './retry';
import type { CrewResponse, Send } from './send';
import { requestStatus } from './statusPath';

const READ_TIMEOUT = 20_000;
const WRITE_TIMEOUT = 60_000;

/** The callback fields of a kickoff or a resume, as the API names them. */
export interface CallbackFields {
	taskWebhookUrl?: string;
	stepWebhookUrl?: string;
	crewWebhookUrl?: string;
	humanInputWebhook?: JsonRecord;
	webhooks?: JsonRecord;
}

export interface KickoffBody extends CallbackFields {
	inputs: JsonRecord;
	meta?: JsonRecord;
}

export interface ResumeBody extends CallbackFields {
	execution_id: string;
	task_id: string;
	human_feedback: string;
	is_approve: boolean;
}

/** The five requests of a deployed crew. Each rejects with a `CrewApiError`. */
export interface CrewClient {
	/** `GET /inputs` */
	getInputs(): Promise<CrewInput[]>;
	/** `POST /kickoff`; `response` is the server's whole answer. */
	kickoff(body: KickoffBody): Promise<{ kickoffId: string; response: JsonRecord }>;
	/** `GET /{kickoff_id}/status`, or `GET /status/{kickoff_id}` where the deployment has that. */
	getStatus(kickoffId: string): Promise<JsonRecord>;
	/** `POST /resume` */
	resume(body: ResumeBody): Promise<JsonRecord>;
	/** `POST /stop/{kickoff_id}` */
	stop(kickoffId: string): Promise<JsonRecord>;
}

/**
 * A client of the crew at `baseUrl`. Reads are repeated on passing faults, kickoff and resume only
 * where they cannot have arrived.
 *
 * @param abortSignal ends reads and pauses early; what may start a crew is never cut off
 */
export function createClient(baseUrl: string, send: Send, abortSignal?: AbortSignal): CrewClient {
	const get = async (path: string): Promise<CrewResponse> =>
		await send({ method: 'GET', path, timeout: READ_TIMEOUT, abortSignal });
	const post = async (
		subject: 'kickoff' | 'resume' | 'stop',
		path: string,
		body?: JsonRecord,
	): Promise<JsonRecord> =>
		await withRetries(
			async () =>
				readObject(subject, await send({ method: 'POST', path, body, timeout: WRITE_TIMEOUT })),
			subject === 'stop' ? whenTransient : whenNotArrived,
			abortSignal,
		);
	const read = async <T>(attempt: () => Promise<T>): Promise<T> =>
		await withRetries(attempt, whenTransient, abortSignal);
	return {
		getInputs: async () => await read(async () => readInputList(await get('/inputs'))),
		kickoff: async (body) => readStarted(await post('kickoff', '/kickoff', { ...body })),
		getStatus: async (kickoffId) =>
			await read(async () => readObject('status', await requestStatus(baseUrl, kickoffId, get))),
		resume: async (body) => await post('resume', '/resume', { ...body }),
		stop: async (kickoffId) => await post('stop', `/stop/${encodeURIComponent(kickoffId)}`),
	};
}

function isSuccess({ status }: CrewResponse): boolean {
	return status >= 200 && status < 300;
}

function readObject(subject: Subject, response: CrewResponse): JsonRecord {
	if (!isSuccess(response) || !isRecord(response.body)) throw refusal(subject, response);
	return response.body;
}

function readInputList(response: CrewResponse): CrewInput[] {
	const inputs = isSuccess(response) ? readInputs(response.body) : undefined;
	if (inputs === undefined) throw refusal('inputs', response);
	return inputs;
}

function readStarted(response: JsonRecord): { kickoffId: string; response: JsonRecord } {
	const kickoffId = readKickoffId(response);
	if (kickoffId === undefined) {
		throw unreadable({ status: 200, headers: {}, body: response, text: JSON.stringify(response) });
	}
	return { kickoffId, response };
}
