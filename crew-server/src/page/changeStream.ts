import type { FastifyReply } from 'fastify';

import type { Deliveries } from '../callbacks/deliveries';
import type { CrewDescription } from '../crew/description';
import type { Executions } from '../executions/executions';
import type { RequestLog } from '../http/requestLog';
import type { ChangeSignal } from './changeSignal';
import {
	callbackView,
	executionView,
	requestView,
	SHOWN_CALLBACKS,
	SHOWN_EXECUTIONS,
	SHOWN_REQUESTS,
} from './view';

/** What the page shows. */
export interface Showcase {
	crew: CrewDescription;
	executions: Executions;
	deliveries: Deliveries;
	requests: RequestLog;
	changes: ChangeSignal;
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
export function streamChanges(reply: FastifyReply, showcase: Showcase): void {
	reply.hijack();
	const { raw } = reply;
	raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
	const seen = {
		executions: new SeenEntries(),
		requests: new SeenEntries(),
		callbacks: new SeenEntries(),
	};
	let timer: NodeJS.Timeout | undefined;
	const send = (crew?: CrewDescription) => {
		timer = undefined;
		// A reader that is behind gets everything at once when it has caught up.
		if (!raw.writableNeedDrain)
			raw.write(`data: ${JSON.stringify(messageOf(showcase, seen, crew))}\n\n`);
	};
	const schedule = () => {
		timer ??= setTimeout(() => {
			send();
		}, PACE);
	};
	const heartbeat = setInterval(() => {
		raw.write(': alive\n\n');
	}, HEARTBEAT);
	const endListening = showcase.changes.listen(schedule);
	raw.on('drain', schedule);
	raw.on('close', () => {
		endListening();
		clearTimeout(timer);
		clearInterval(heartbeat);
	});
	send(showcase.crew);
}

function messageOf(
	{ executions, requests, deliveries }: Showcase,
	seen: Record<'executions' | 'requests' | 'callbacks', SeenEntries>,
	crew?: CrewDescription,
): Record<string, unknown> {
	const newest = <Entry>(entries: readonly Entry[], count: number) =>
		entries.slice(-count).toReversed();
	return {
		crew,
		executions: seen.executions.changes(
			newest(executions.all(), SHOWN_EXECUTIONS).map((one) => [one.kickoffId, executionView(one)]),
		),
		requests: seen.requests.changes(
			newest(requests.all(), SHOWN_REQUESTS).map((one) => [String(one.id), requestView(one)]),
		),
		callbacks: seen.callbacks.changes(
			newest(deliveries.records(), SHOWN_CALLBACKS).map((one) => [one.id, callbackView(one)]),
		),
	};
}

/** Remembers what a page has been sent, so that it is sent again only where it has changed. */
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
