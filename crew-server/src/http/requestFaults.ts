import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { amountOf, parseFaults, type Endpoint, type Fault } from '../faults/fault';
import type { FaultPlan } from '../faults/faultPlan';
import { Crowd } from './crowd';
import { Refusal } from './refusals';

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

/** Has planned faults befall the requests of an instance. */
export function addRequestFaults(
	app: FastifyInstance,
	{ plan, takesHeader }: { plan: FaultPlan; takesHeader: boolean },
): void {
	const crowds = new WeakMap<Fault, Crowd>();
	const crowdOf = (fault: Fault) => {
		const crowd = crowds.get(fault) ?? new Crowd();
		crowds.set(fault, crowd);
		return crowd;
	};
	app.decorateRequest('faults', undefined as unknown as Fault[]);
	app.decorateRequest('answerFaults', undefined as unknown as Fault[]);
	app.addHook('onRequest', async (request, reply) => {
		const own = takesHeader ? faultsOfHeader(request) : [];
		const endpoint = ENDPOINT_OF_PATH[request.routeOptions.url ?? ''];
		const now = endpoint ? plan.take('request', endpoint, own) : [];
		request.setDecorator('faults', own);
		request.setDecorator('answerFaults', now);
		for (const fault of now) {
			if (reply.sent) return reply;
			await befallRequest(fault, request, reply, crowdOf(fault));
		}
		return reply.sent ? reply : undefined;
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

/** What a request itself asked for that is to befall its execution, rather than its answer. */
export function faultsOfRequest(request: FastifyRequest): Fault[] {
	return request.getDecorator<Fault[] | undefined>('faults') ?? [];
}

function faultsOfHeader(request: FastifyRequest): Fault[] {
	const header = request.headers['x-crew-fault'];
	if (header === undefined) return [];
	try {
		return parseFaults(String(header));
	} catch (error) {
		throw new Refusal(400, `X-Crew-Fault: ${(error as Error).message}`);
	}
}

async function befallRequest(
	fault: Fault,
	request: FastifyRequest,
	reply: FastifyReply,
	crowd: Crowd,
): Promise<void> {
	switch (fault.kind) {
		case 'latency':
			await sleep(amountOf(fault));
			return;
		case '429':
			void reply.header('retry-after', String(amountOf(fault)));
			throw new Refusal(429, 'Too many requests at once');
		case '429-beyond':
			if (crowd.size >= amountOf(fault)) throw new Refusal(429, 'Too many requests at once');
			crowd.join(reply.raw);
			return;
		case '502-beyond':
			if (crowd.size >= amountOf(fault)) await sendPage(reply, 502);
			else crowd.join(reply.raw);
			return;
		case 'at-once':
			await crowd.joinUpTo(amountOf(fault), reply.raw);
			return;
		case '500':
			throw new Refusal(500, 'The crew could not do this');
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

/** @returns what is sent in the place of the body, or `undefined` where the body is sent as it is */
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
	// The half has to be on its way before the connection goes.
	await sleep(20);
	reply.raw.socket?.destroy();
}
