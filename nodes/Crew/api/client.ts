import { randomUUID } from 'node:crypto';
import { readExecution } from '../model/execution';
import { isRecord, own, type JsonRecord } from '../model/json';
import { readInputs, type CrewInput } from '../model/inputs';
import { readKickoffId } from '../model/kickoff';
import { refusal, unreadable, type CrewApiError, type Subject } from './errors';
import type { CrewResponse, Send } from './exchange';
import { pathSegment, requestResume, requestStatus } from './dialects';
import { whenNotArrived, whenTransient, type RequestRunner } from './pacer';

/** Milliseconds after a kickoff in which the status endpoint may not know the execution yet. */
export const KICKOFF_LAG = 10_000;

const READ_TIMEOUT = 20_000;
const WRITE_TIMEOUT = 60_000;

/** The callback fields of a kickoff or a resume, as the API names them. */
export interface CallbackFields {
	taskWebhookUrl?: string;
	stepWebhookUrl?: string;
	crewWebhookUrl?: string;
	humanInputWebhook?: JsonRecord;
	/** The same without authentication, for deployments that know only this field. */
	humanInputWebhookUrl?: string;
	webhooks?: JsonRecord;
}

export interface KickoffBody extends CallbackFields {
	inputs: JsonRecord;
	meta?: JsonRecord;
	/** The earlier run of a flow whose state this one starts from. */
	restoreFromStateId?: string;
}

export interface ResumeBody extends CallbackFields {
	execution_id: string;
	task_id: string;
	human_feedback: string;
	is_approve: boolean;
}

/** The requests that change nothing at a deployed crew. Each rejects with a `CrewApiError`. */
export interface CrewReader {
	/** `GET /inputs` */
	getInputs(): Promise<CrewInput[]>;
	/** `GET /{kickoff_id}/status`, or `GET /status/{kickoff_id}` if the deployment has that. */
	getStatus(kickoffId: string): Promise<JsonRecord>;
	/** The same without repeats, for callers that ask again anyway; `timeout` in milliseconds. */
	getStatusOnce(kickoffId: string, timeout?: number): Promise<JsonRecord>;
}

/** The five requests of a deployed crew. */
export interface CrewClient extends CrewReader {
	/** `POST /kickoff`; returns the ID of the started execution. */
	kickoff(body: KickoffBody): Promise<string>;
	/** `POST /resume` */
	resume(body: ResumeBody): Promise<JsonRecord>;
	/** `POST /stop/{kickoff_id}`; an execution that is already stopped counts as stopped by it. */
	stop(kickoffId: string): Promise<JsonRecord>;
}

/**
 * A client of the crew at `baseUrl`. Reads are repeated after temporary faults, the other requests only
 * if nothing can happen twice.
 *
 * @param runner decides when a request is sent, and can end a read early
 */
export function createClient(baseUrl: string, send: Send, runner: RequestRunner): CrewClient {
	const { abortSignal } = runner;
	const get = async (path: string, timeout = READ_TIMEOUT) =>
		await send({ method: 'GET', path, timeout, abortSignal });
	const post = async (path: string, body?: JsonRecord, key?: string) =>
		await send({ method: 'POST', path, body, key, timeout: WRITE_TIMEOUT });
	const read = async <T>(attempt: () => Promise<T>): Promise<T> =>
		await runner.run('GET', attempt, whenTransient);
	const askStatus = async (kickoffId: string, timeout?: number): Promise<JsonRecord> => {
		const ask = async (path: string) => await get(path, timeout);
		return readObject('status', await requestStatus(baseUrl, kickoffId, ask));
	};
	const getStatus = async (kickoffId: string) => await read(async () => await askStatus(kickoffId));
	return {
		getInputs: async () => await read(async () => readInputList(await get('/inputs'))),
		getStatus,
		getStatusOnce: async (kickoffId, timeout = READ_TIMEOUT) => {
			const attempt = async () => await askStatus(kickoffId, timeout);
			return await runner.run('GET', attempt, { patience: timeout });
		},
		kickoff: async (body) => {
			const key = randomUUID();
			const attempt = async () => readStarted(await post('/kickoff', { ...body }, key));
			const keepsKeys = async () => await read(async () => readKeepsKeys(await get('/inputs')));
			return await startOnce(runner, attempt, keepsKeys);
		},
		resume: async (body) => {
			const ask = async (named: JsonRecord) => await post('/resume', named);
			const attempt = async () =>
				readObject('resume', await requestResume(baseUrl, { ...body }, ask));
			return await runner.run('POST', attempt, whenNotArrived);
		},
		stop: async (kickoffId) => {
			const attempt = async () => readStopped(await post(`/stop/${pathSegment(kickoffId)}`));
			const stopping = runner.run('POST', attempt, whenTransient);
			return await stopOrStopped(stopping, async () => await getStatus(kickoffId));
		},
	};
}

/** Repeats a request that may have arrived only if the crew says that it keeps keys. */
async function startOnce<T>(
	runner: RequestRunner,
	attempt: () => Promise<T>,
	keepsKeys: () => Promise<boolean>,
): Promise<T> {
	let unsure: CrewApiError | undefined;
	try {
		return await runner.run('POST', attempt, async (failure) => {
			if (!failure.mayHaveArrived) return failure.transient;
			unsure ??= failure;
			return failure.transient && (await keepsKeys().catch(() => false));
		});
	} catch (failure) {
		// However a later attempt ended, the first one may have started the crew.
		throw unsure ?? failure;
	}
}

/** A stop is also refused if an earlier one has succeeded and its answer was lost: then it counts as done. */
async function stopOrStopped(
	stopping: Promise<JsonRecord>,
	askStatus: () => Promise<JsonRecord>,
): Promise<JsonRecord> {
	return await stopping.catch(async (failure: unknown) => {
		const isRefused = (failure as CrewApiError).httpCode === 400;
		const response = isRefused ? await askStatus().catch(() => undefined) : undefined;
		if (readExecution(response).status === 'stopped') return {};
		throw failure;
	});
}

function isSuccess({ status }: CrewResponse): boolean {
	return status >= 200 && status < 300;
}

function readObject(subject: Subject, response: CrewResponse): JsonRecord {
	if (!isSuccess(response) || !isRecord(response.body)) throw refusal(subject, response);
	return response.body;
}

/** Whether the crew says that it recognizes a repeated kickoff. */
function readKeepsKeys(response: CrewResponse): boolean {
	if (!isSuccess(response)) throw refusal('inputs', response);
	return own(response.headers, 'idempotency-key-kept') !== undefined;
}

function readInputList(response: CrewResponse): CrewInput[] {
	const inputs = isSuccess(response) ? readInputs(response.body) : undefined;
	if (inputs === undefined) throw refusal('inputs', response);
	return inputs;
}

function readStarted(answer: CrewResponse): string {
	const kickoffId = readKickoffId(readObject('kickoff', answer));
	if (kickoffId === undefined) throw unreadable(answer);
	return kickoffId;
}

/** The answer to a stop says little, so an empty success is fine, too. */
function readStopped(answer: CrewResponse): JsonRecord {
	const isEmpty = isSuccess(answer) && answer.text.trim() === '';
	return isEmpty ? {} : readObject('stop', answer);
}
