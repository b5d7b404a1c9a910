import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';

import type { Brief } from '../domain/brief';
import { hasEnded, type StreamEvent } from '../domain/execution';
import type { Store } from '../store/store';
import { answers } from './answerSchemas';
import type { Aspects } from './aspects';
import { temporaryError } from './httpError';
import { kickoffIdSchema, type KickoffIdPath } from './schemas';

/** How many streams may be open at once. */
const MOST_STREAMS = 100;
/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 15;
/** The shortest time, in milliseconds, after which a reader that takes nothing is dropped. */
const SHORTEST_PATIENCE = 1_000;
/** How many events are read at once. */
const PAGE = 20;

interface Settings {
	aspects: Aspects;
	/** Milliseconds after which a stream without events sends a sign of life; a reader that takes nothing for twice as long is dropped. */
	heartbeat: number;
	store: Store;
	/** The execution that a request asks for. */
	find: (request: FastifyRequest, kickoffId: string) => Promise<Brief>;
}

interface Route {
	Params: KickoffIdPath;
	Headers: { 'last-event-id'?: string };
}

/** `GET /{kickoff_id}/events`: what an execution does, for clients that cannot be called back. */
export function addEventStream(
	app: FastifyInstance,
	{ aspects, heartbeat, store, find }: Settings,
): void {
	const open = new Set<FastifyReply['raw']>();
	// Open streams would keep the server from closing.
	app.addHook('preClose', (done) => {
		for (const response of open) response.destroy();
		done();
	});
	const options = { schema: schemaOf(aspects), exposeHeadRoute: false };
	app.get<Route>('/:kickoff_id/events', options, async (request, reply) => {
		if (open.size >= MOST_STREAMS) {
			throw temporaryError(429, `${MOST_STREAMS} event streams are open already`, RETRY_AFTER);
		}
		// Before the first await, so that a client that leaves during it is removed, too.
		open.add(reply.raw);
		const ending = new AbortController();
		// Any progress counts, however slow, even of heartbeats: only a reader that takes nothing is dropped.
		reply.raw.setTimeout(Math.max(2 * heartbeat, SHORTEST_PATIENCE), () => {
			reply.raw.destroy();
		});
		reply.raw.once('close', () => {
			open.delete(reply.raw);
			ending.abort();
		});
		const execution = await find(request, request.params.kickoff_id);
		const after = numberOf(request.headers['last-event-id'], execution);
		const events = eventsOf(store, execution.kickoffId, after, ending.signal);
		return reply.headers(HEADERS).send(Readable.from(messages(events, heartbeat)));
	});
}

const HEADERS = {
	'content-type': 'text/event-stream; charset=utf-8',
	'cache-control': 'no-store',
	// Otherwise, proxies would hold events back.
	'x-accel-buffering': 'no',
};

function schemaOf(aspects: Aspects): Record<string, unknown> {
	const text = { type: 'string' };
	const event = {
		type: 'object',
		description: 'One event; `data` is the same JSON as in callbacks with events',
		properties: { id: text, event: text, data: text },
		required: ['id', 'event', 'data'],
	};
	const content = { 'text/event-stream': { schema: event } };
	return {
		summary: 'The events of an execution as server-sent events, until it has ended',
		params: kickoffIdSchema,
		headers: {
			type: 'object',
			properties: {
				'last-event-id': { type: 'string', description: 'Continues after this event' },
			},
		},
		response: { ...answers(200, {}, aspects), 200: { description: 'Success', content } },
	};
}

/** The number of the last event that a client has received; 0 if that is unknown. */
function numberOf(eventId = '', { kickoffId, events }: Brief): number {
	const number = eventId.startsWith(`${kickoffId}-`) ? eventId.slice(kickoffId.length + 1) : '';
	return /^\d+$/.test(number) && Number(number) <= events ? Number(number) : 0;
}

/**
 * The events of an execution as they happen, until its end or its new identifier. A question to a person is not an end.
 *
 * @param after the number of the last event that was received
 * @param signal ends it earlier
 */
async function* eventsOf(
	store: Store,
	kickoffId: string,
	after: number,
	signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
	let last = after;
	let wake: () => void = () => undefined;
	const endListening = store.onChange((change) => {
		if (!change || change.before === kickoffId) wake();
	});
	signal.addEventListener('abort', () => {
		wake();
	});
	try {
		while (!signal.aborted) {
			const woken = new Promise<void>((resolve) => (wake = resolve));
			// Read first: an execution that has ended has all of its events.
			const stored = await store.getBrief(kickoffId);
			for (;;) {
				const events = await store.events(kickoffId, last, PAGE);
				for (const event of events) {
					const number = numberIn(event);
					if (number > last + 1) yield gapBefore(event, last + 1);
					yield event;
					last = number;
				}
				if (events.length < PAGE) break;
			}
			if (!stored || hasEnded(stored.brief)) return;
			await woken;
		}
	} finally {
		endListening();
	}
}

function numberIn({ id }: StreamEvent): number {
	return Number(id.slice(id.lastIndexOf('-') + 1));
}

/** Tells a reader that came too late that earlier events are no longer kept. */
function gapBefore(next: StreamEvent, from: number): StreamEvent {
	const { execution_id, timestamp } = next;
	const to = numberIn(next) - 1;
	return {
		id: `${execution_id}-${to}`,
		execution_id,
		timestamp,
		type: 'events_missing',
		data: { from, to },
	};
}

async function* messages(
	events: AsyncGenerator<StreamEvent>,
	heartbeat: number,
): AsyncGenerator<string> {
	// The first line shows that the stream is open, even if nothing has happened yet.
	yield ': open\n\n';
	const take = () => {
		const taken = events.next();
		// There may be no reader left to receive an error.
		taken.catch(() => undefined);
		return taken;
	};
	let next = take();
	for (;;) {
		const silence = pause(heartbeat);
		const result = await Promise.race([next, silence.over]);
		silence.cancel();
		if (result === undefined) {
			yield ': alive\n\n';
			continue;
		}
		if (result.done) return;
		const { id, type } = result.value;
		yield `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(result.value)}\n\n`;
		next = take();
	}
}

function pause(milliseconds: number): { over: Promise<undefined>; cancel: () => void } {
	let timer: NodeJS.Timeout | undefined;
	const over = new Promise<undefined>((resolve) => {
		timer = setTimeout(resolve, milliseconds, undefined);
	});
	return {
		over,
		cancel: () => {
			clearTimeout(timer);
		},
	};
}
