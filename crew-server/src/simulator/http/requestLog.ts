import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';

import { Ring } from './ring';

/** A request that was received, and how it was answered. */
export interface RequestRecord {
	/** Counts from 1. */
	id: number;
	/** Whether it has no answer yet, and its connection has not been dropped. */
	isOpen: boolean;
	/** Milliseconds since 1970. */
	at: number;
	method: string;
	/** Path and query as they were sent. */
	path: string;
	/** Without `authorization`. */
	headers: IncomingHttpHeaders;
	/** The JSON that was sent; absent if there was none, and text if it is long. */
	body?: unknown;
	/** The answer's status; absent until there is one, and if the connection was dropped. */
	status?: number;
	/** The answer's body as text, its beginning if it is long. */
	answer?: string;
}

/** Characters that are kept of a body. */
const KEPT_CHARACTERS = 64 * 1024;

/** The page's own paths, the document about the API, and health checks. */
const PAGE_PATH = /^\/(page\/.*|openapi\.json|health|ready)?(\?|$)/;

/** Remembers the newest requests of the API. */
export class RequestLog {
	private count = 0;
	private readonly ring: Ring<RequestRecord>;
	private readonly records = new WeakMap<FastifyRequest, RequestRecord>();

	private readonly listeners = new Set<() => void>();

	constructor(remembered: number) {
		this.ring = new Ring(remembered);
	}

	all(): readonly RequestRecord[] {
		return this.ring.all().map((record) => ({ ...record }));
	}

	/** Calls the listener for each request, when it comes in and when it is answered. @returns a function that ends this */
	onChange(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => {
			this.listeners.delete(listener);
		};
	}

	/** Remembers every request of the API, including those to unknown paths. */
	record(app: FastifyInstance): void {
		app.addHook('onRequest', (request, reply, done) => {
			if (PAGE_PATH.test(request.url)) {
				done();
				return;
			}
			this.count += 1;
			const record = openRecord(this.count, request);
			reply.raw.once('close', () => {
				record.isOpen = false;
				// An answer that a fault has cut off is not an answer.
				if (!reply.raw.writableFinished) delete record.status;
				this.tell();
			});
			this.records.set(request, record);
			this.ring.add(record);
			this.tell();
			done();
		});
		app.addHook('preValidation', (request, _reply, done) => {
			const record = this.records.get(request);
			if (record && request.body !== undefined) record.body = keptOf(request);
			done();
		});
		app.addHook('onSend', (request, reply, payload, done) => {
			const record = this.records.get(request);
			if (record) {
				record.status = reply.statusCode;
				if (typeof payload === 'string') record.answer = beginningOf(payload);
				this.tell();
			}
			done(null, payload);
		});
	}

	private tell(): void {
		for (const listener of this.listeners) listener();
	}
}

function openRecord(
	id: number,
	{ method, originalUrl: path, headers: all }: FastifyRequest,
): RequestRecord {
	const headers = { ...all };
	delete headers.authorization;
	return { id, isOpen: true, at: Date.now(), method, path, headers };
}

/** What the client sent, however it is read. */
function keptOf(request: FastifyRequest): unknown {
	const text = request.getDecorator<string>('text');
	return text.length > KEPT_CHARACTERS ? beginningOf(text) : JSON.parse(text);
}

/** A copy of the beginning: a slice would keep the whole long text in memory. */
function beginningOf(text: string): string {
	return Buffer.from(text.slice(0, KEPT_CHARACTERS)).toString();
}
