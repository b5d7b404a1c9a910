import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { whoAsks } from '../../api/bearer';
import type { Wanted } from '../../api/commands';
import { HttpError } from '../../api/httpError';
import type { FaultsExtension } from '../faults/executionFaults';
import { amountOf, parseFaults, type Endpoint, type Fault } from '../faults/fault';
import type { FaultPlan } from '../faults/faultPlan';
import { InFlight } from './inFlight';

const PAGE = (status: number) =>
	`<!doctype html><title>${status}</title><h1>${status}</h1><p>The crew cannot be reached.</p>`;

/** How many pieces a slow body is sent in. */
const PIECES = 20;

const ENDPOINT_OF_PATH: Record<string, Endpoint> = {
	'/inputs': 'inputs',
	'/kickoff': 'kickoff',
	'/:kickoff_id/status': 'status',
	'/status/:kickoff_id': 'status',
	'/resume': 'resume',
	'/stop/:kickoff_id': 'stop',
};

interface RequestFaultSettings {
	plan: FaultPlan;
	/** Whether clients may ask for faults themselves. */
	takesHeader: boolean;
	/** Takes the faults that came with a person's answer, for its execution. */
	onResume: (wanted: Wanted, faults: readonly Fault[]) => Promise<void>;
}

/**
 * Applies planned faults to the requests of an instance, after their tokens were checked. Those that a kickoff asks for
 * itself become its `extension`.
 */
export function addRequestFaults(
	app: FastifyInstance,
	{ plan, takesHeader, onResume }: RequestFaultSettings,
): void {
	const inFlightBy = new WeakMap<Fault, InFlight>();
	const inFlightOf = (fault: Fault) => {
		const inFlight = inFlightBy.get(fault) ?? new InFlight();
		inFlightBy.set(fault, inFlight);
		return inFlight;
	};
	app.decorateRequest('answerFaults', undefined as unknown as Fault[]);
	app.addHook('preParsing', async (request, reply) => {
		const own = takesHeader ? faultsOfHeader(request) : [];
		const endpoint = endpointOf(request);
		const now = endpoint ? plan.take('request', endpoint, own) : [];
		if (own.length > 0) request.setDecorator<FaultsExtension>('extension', { faults: own });
		request.setDecorator('answerFaults', now);
		for (const fault of now) {
			if (reply.sent) return;
			await befallRequest(fault, request, reply, inFlightOf(fault));
		}
	});
	app.addHook('preHandler', async (request) => {
		const { faults = [] } = request.getDecorator<FaultsExtension | undefined>('extension') ?? {};
		if (endpointOf(request) !== 'resume' || faults.length === 0) return;
		const { execution_id: id } = request.body as Partial<Record<string, unknown>>;
		await onResume({ kickoffId: String(id), owner: whoAsks(request) }, faults);
	});
	app.addHook('onSend', (request, reply, payload, done) => {
		const faults = request.getDecorator<Fault[] | undefined>('answerFaults') ?? [];
		const body = typeof payload === 'string' ? payload : '';
		const after = faults.reduce<unknown>(
			(sent, fault) => befallAnswer(fault, body, reply) ?? sent,
			payload,
		);
		done(null, after);
	});
}

function endpointOf(request: FastifyRequest): Endpoint | undefined {
	return ENDPOINT_OF_PATH[request.routeOptions.url ?? ''];
}

function faultsOfHeader(request: FastifyRequest): Fault[] {
	const header = request.headers['x-crew-fault'];
	if (header === undefined) return [];
	try {
		return parseFaults(String(header));
	} catch (error) {
		throw new HttpError(400, `X-Crew-Fault: ${(error as Error).message}`);
	}
}

async function befallRequest(
	fault: Fault,
	request: FastifyRequest,
	reply: FastifyReply,
	inFlight: InFlight,
): Promise<void> {
	switch (fault.kind) {
		case 'latency':
			await sleep(amountOf(fault));
			return;
		case '429':
			void reply.header('retry-after', String(amountOf(fault)));
			throw new HttpError(429, 'Too many requests at once');
		case '429-beyond':
			if (inFlight.size >= amountOf(fault)) throw new HttpError(429, 'Too many requests at once');
			inFlight.join(reply.raw);
			return;
		case '502-beyond':
			if (inFlight.size >= amountOf(fault)) await sendPage(reply, 502);
			else inFlight.join(reply.raw);
			return;
		case 'at-once':
			await inFlight.joinUpTo(amountOf(fault), reply.raw);
			return;
		case '500':
			throw new HttpError(500, 'The crew could not do this');
		case '502':
		case '503':
			await sendPage(reply, Number(fault.kind));
			return;
		case 'html':
			await sendPage(reply, amountOf(fault));
			return;
		case 'drop-before':
			reply.hijack();
			request.raw.socket.destroy();
			return;
		default:
	}
}

async function sendPage(reply: FastifyReply, status: number): Promise<void> {
	await reply.code(status).type('text/html; charset=utf-8').send(PAGE(status));
}

/** @returns what is sent instead of the body, or `undefined` if the body is sent as it is */
function befallAnswer(fault: Fault, body: string, reply: FastifyReply): Readable | undefined {
	const bytes = Buffer.from(body);
	switch (fault.kind) {
		case 'drop-after':
			reply.raw.socket?.destroy();
			return undefined;
		case 'slow-body':
			void reply.header('content-length', bytes.length);
			return Readable.from(piecesOf(bytes, amountOf(fault)));
		case 'half-body':
			void reply.header('content-length', bytes.length);
			return Readable.from(halfOf(bytes, reply));
		default:
			return undefined;
	}
}

async function* piecesOf(bytes: Buffer, milliseconds: number): AsyncGenerator<Buffer> {
	const size = Math.max(1, Math.ceil(bytes.length / PIECES));
	for (let start = 0; start < bytes.length; start += size) {
		await sleep(milliseconds / PIECES);
		yield bytes.subarray(start, start + size);
	}
}

async function* halfOf(bytes: Buffer, reply: FastifyReply): AsyncGenerator<Buffer> {
	yield bytes.subarray(0, bytes.length / 2);
	// Give the half time to be sent before the connection is dropped.
	await sleep(20);
	reply.raw.socket?.destroy();
}
