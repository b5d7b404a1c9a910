import type { StreamEvent } from '../../../crew-server/src/domain/execution';
import type { Receiver } from '../support/receiver';
import { until } from '../support/until';
import type { Fleet, Server } from './fleet';
import type { Seen } from './history';

/** Milliseconds in which an execution has to come to its end: a lease, and what is worked on before it. */
const LONGEST = 120_000;
/** Milliseconds that a server which stands still is waited for. */
const PATIENCE = 3_000;

/** Starts executions at a fleet, and sees what becomes of them. */
export class Load {
	readonly started: string[] = [];
	private readonly stops = new Map<string, number>();
	private readonly live = new Map<string, Promise<StreamEvent[]>>();
	private turn = 0;

	constructor(
		private readonly fleet: Fleet,
		private readonly receiver: Receiver,
	) {}

	/** Starts so many, at one server after the other; what is not answered counts as not started. */
	async start(count: number): Promise<void> {
		for (let index = 0; index < count; index++) {
			const url = `${this.receiver.url}/${this.turn}`;
			const body = {
				inputs: { topic: 'Tea' },
				taskWebhookUrl: url,
				crewWebhookUrl: url,
			};
			const answer = await this.ask('POST', '/kickoff', body).catch(() => undefined);
			const { kickoff_id: id } = (answer ?? {}) as { kickoff_id?: string };
			if (id === undefined) continue;
			this.started.push(id);
			this.live.set(id, this.follow(id));
		}
	}

	/** Stops one that was started. */
	async stop(id: string): Promise<void> {
		await until(() => this.ask('POST', `/stop/${id}`).catch(() => undefined), LONGEST);
		const events = await until(() => this.eventsAt(this.next(), id, 0), LONGEST);
		this.stops.set(id, events.length);
	}

	/** What was seen of all that was started, once all has ended. */
	async seen(): Promise<Seen[]> {
		return await Promise.all(
			this.started.map(async (kickoffId) => {
				const status = await this.endOf(kickoffId);
				const readers = [(await this.live.get(kickoffId)) ?? []];
				for (const server of this.fleet.servers) {
					readers.push(await until(() => this.eventsAt(server, kickoffId, 0), LONGEST));
				}
				const isWhole = () => this.stops.has(kickoffId) || this.callbacksOf(kickoffId).length === 4;
				await until(isWhole, LONGEST);
				const callbacks = this.callbacksOf(kickoffId);
				return { kickoffId, status, readers, callbacks, eventsAtStop: this.stops.get(kickoffId) };
			}),
		);
	}

	private async endOf(id: string): Promise<string> {
		return await until(() => this.statusOf(id), LONGEST);
	}

	/** The status of one that has ended. */
	private async statusOf(id: string): Promise<string | undefined> {
		const answer = await this.ask('GET', `/${id}/status`).catch(() => undefined);
		const { status = '' } = (answer ?? {}) as { status?: string };
		return ['completed', 'failed', 'stopped'].includes(status) ? status : undefined;
	}

	private callbacksOf(id: string): string[] {
		const ids = this.receiver.received.map(({ headers }) => String(headers['webhook-id']));
		return [...new Set(ids.filter((one) => one.startsWith(id)))];
	}

	/** Reads the events of an execution as they come, at another server whenever one is gone. */
	private async follow(id: string): Promise<StreamEvent[]> {
		const events: StreamEvent[] = [];
		let isOver = false;
		await until(async () => {
			const more = await this.eventsAt(this.next(), id, events.length);
			events.push(...(more ?? []));
			// A stream may have been broken off: only what is read after the end is all.
			const isAll = isOver && more?.length === 0;
			isOver = (await this.statusOf(id)) !== undefined;
			return isAll;
		}, LONGEST);
		return events;
	}

	/** The events after one, as far as the stream of a server tells them in time; `undefined` if it does not answer. */
	private async eventsAt(
		{ url, accessToken }: Server,
		id: string,
		after: number,
	): Promise<StreamEvent[] | undefined> {
		try {
			const response = await fetch(`${url}/${id}/events`, {
				headers: {
					authorization: `Bearer ${accessToken}`,
					...(after > 0 ? { 'last-event-id': `${id}-${after}` } : {}),
				},
				signal: AbortSignal.timeout(PATIENCE),
			});
			if (!response.ok || !response.body) return undefined;
			return await readEvents(response.body);
		} catch {
			return undefined;
		}
	}

	private async ask(method: string, path: string, body?: unknown): Promise<unknown> {
		const { url, accessToken } = this.next();
		const response = await fetch(url + path, {
			method,
			headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(PATIENCE),
		});
		if (!response.ok) throw new Error(String(response.status));
		return await response.json();
	}

	private next(): Server {
		const { servers } = this.fleet;
		this.turn += 1;
		return servers[this.turn % servers.length] as Server;
	}
}

/** What a stream tells until it ends or is broken off. */
async function readEvents(body: ReadableStream<Uint8Array>): Promise<StreamEvent[]> {
	let text = '';
	try {
		for await (const chunk of body) text += Buffer.from(chunk).toString();
	} catch {
		// What has come whole counts.
	}
	return [...text.matchAll(/^data: (.*)\n\n/gm)].map(
		([, data = '']) => JSON.parse(data) as StreamEvent,
	);
}
