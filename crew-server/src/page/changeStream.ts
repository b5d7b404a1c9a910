import type { FastifyReply } from 'fastify';

import type { CrewDescription } from '../domain/crew';
import type { Store } from '../store/store';
import {
	callbackView,
	executionView,
	requestView,
	SHOWN_CALLBACKS,
	SHOWN_EXECUTIONS,
	SHOWN_REQUESTS,
	type ShownRequest,
} from './view';

/** Where the list of requests comes from. */
export interface RequestSource {
	/** Oldest first. */
	requests(): readonly ShownRequest[];
	/** @returns ends the listening */
	onRequest(listener: () => void): () => void;
}

/** What the page shows. */
export interface Showcase {
	crew: CrewDescription;
	store: Store;
	/** Without it, the list of requests is empty. */
	requests?: RequestSource;
}

/** Milliseconds between two messages, however much happens. */
const PACE = 200;
/** Milliseconds after which a connection shows that it is alive. */
const HEARTBEAT = 15_000;

interface ListChanges {
	/** Keys of all entries that are shown, newest first. */
	order: string[];
	/** The entries that are new or have changed. */
	changed: unknown[];
}

/** Sends the page all there is to show, then what changes, until its connection ends. */
export function streamChanges(reply: FastifyReply, { crew, store, requests }: Showcase): void {
	reply.hijack();
	const { raw } = reply;
	raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
	raw.flushHeaders();
	const changes = new Changes(store, requests);
	let timer: NodeJS.Timeout | undefined;
	let isReading = false;
	let changed = 0;
	const send = async (news: object = {}) => {
		timer = undefined;
		// A reader that is behind gets everything at once when it has caught up.
		if (raw.writableNeedDrain) return;
		isReading = true;
		const told = changed;
		const message = { ...news, ...(await changes.read()) };
		isReading = false;
		if (raw.destroyed) return;
		raw.write(`data: ${JSON.stringify(message)}\n\n`);
		if (changed !== told) schedule();
	};
	const schedule = () => {
		changed += 1;
		if (isReading) return;
		timer ??= setTimeout(() => {
			send().catch(end);
		}, PACE);
	};
	const heartbeat = setInterval(() => {
		raw.write(': alive\n\n');
	}, HEARTBEAT);
	// The page asks again until the store can be read.
	const end = () => raw.destroy();
	const endListening = [store.onChange(schedule), requests?.onRequest(schedule)];
	raw.on('drain', schedule);
	raw.on('close', () => {
		for (const endOne of endListening) endOne?.();
		clearTimeout(timer);
		clearInterval(heartbeat);
	});
	send({ crew }).catch(end);
}

/** What has changed for a page since it was told last. */
class Changes {
	private readonly seen = {
		executions: new SeenEntries(),
		requests: new SeenEntries(),
		callbacks: new SeenEntries(),
	};

	constructor(
		private readonly store: Store,
		private readonly requests: RequestSource | undefined,
	) {}

	async read(): Promise<Record<string, ListChanges>> {
		const { executions, requests, callbacks } = this.seen;
		const [newest, called] = await Promise.all([
			this.store.list(SHOWN_EXECUTIONS),
			this.store.callbacks(SHOWN_CALLBACKS),
		]);
		const asked = this.requests?.requests().slice(-SHOWN_REQUESTS) ?? [];
		return {
			executions: executions.changes(newest.map((one) => [one.kickoffId, executionView(one)])),
			requests: requests.changes(
				asked.toReversed().map((one) => [String(one.id), requestView(one)]),
			),
			callbacks: callbacks.changes(called.toReversed().map((one) => [one.id, callbackView(one)])),
		};
	}
}

/** Remembers what a page has been sent, so that it is sent again only if it has changed. */
class SeenEntries {
	private sent = new Map<string, string>();

	/** @param entries all that is to be shown; what is not among them is forgotten */
	changes(entries: ReadonlyArray<[string, unknown]>): ListChanges {
		const texts = entries.map(([key, entry]) => [key, JSON.stringify(entry)] as const);
		const changed = entries
			.filter(([key], index) => this.sent.get(key) !== texts[index]?.[1])
			.map(([, entry]) => entry);
		this.sent = new Map(texts);
		return { order: entries.map(([key]) => key), changed };
	}
}
