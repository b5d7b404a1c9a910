import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StreamEvent } from '../../../crew-server/src/domain/execution';
import type { SeededRandom } from '../../support/seededRandom';
import type { Receiver } from '../support/receiver';
import { until } from '../support/until';
import type { Fleet, Server } from './fleet';
import type { History } from './history';

/** Milliseconds within which an execution has to end, and everybody has to know. */
const LONGEST = 180_000;
/** Milliseconds to wait for an answer of a server, which may hang. */
const PATIENCE = 2_000;
/** Milliseconds between two kickoffs, and the most unfinished executions at once. */
const BETWEEN = 250;
const MOST_AT_ONCE = 16;
/** Milliseconds between two checks of the same condition. */
const PAUSE = 100;

interface Answer {
	status: number;
	body: Record<string, unknown>;
}

export interface LoadSettings {
	fleet: Fleet;
	history: History;
	random: SeededRandom;
	/** The receivers of callbacks about tasks, and of all others. */
	receivers: readonly [tasks: Receiver, end: Receiver];
	/** The inputs of an execution, and the task about which a person is asked. */
	inputs: (key: string) => Record<string, unknown>;
	asks?: string;
	/** How many callbacks a completed execution sends. */
	callbacks: number;
}

/** Kicks off executions at a fleet, answers their questions, stops some, and records their effects. */
export class Load {
	private readonly ids = new Set<string>();
	private readonly stopped = new Set<string>();
	private readonly underWay = new Set<Promise<void>>();
	private turn = 0;

	constructor(private readonly settings: LoadSettings) {}

	/** Kicks off executions one after the other until the signal fires, but at least this many. */
	async arrive(least: number, signal: AbortSignal): Promise<void> {
		for (let count = 0; count < least || !signal.aborted; count += 1) {
			const one = this.accompany(count % 6 === 5).finally(() => this.underWay.delete(one));
			this.underWay.add(one);
			await sleep(BETWEEN);
			while (this.underWay.size >= MOST_AT_ONCE) await Promise.race(this.underWay);
		}
	}

	/** Records the events of all executions at each server, once all have ended. */
	async settle(): Promise<void> {
		await Promise.all(this.underWay);
		const { fleet, history } = this.settings;
		for (const id of this.ids) {
			for (const server of fleet.servers) {
				const whole = await eventually(async () => {
					const read = await this.eventsAt(server, id, 0);
					return read?.isWhole ? read.events : undefined;
				}).catch(() => []);
				history.add({ what: 'read', id, reader: server.url, events: whole.map(short) });
			}
		}
	}

	/** Follows an execution from its kickoff to its end. If it has none, that is missing in the history. */
	private async accompany(isToStop: boolean): Promise<void> {
		const { history, random } = this.settings;
		const pause = random.integer(0, 2_000);
		const key = randomUUID();
		const id = await this.kickOff(key).catch(() => undefined);
		if (id === undefined) {
			history.add({ what: 'unanswered', key });
			return;
		}
		this.ids.add(id);
		const follow = this.follow(id);
		if (isToStop) await sleep(pause).then(() => this.stop(id));
		else await this.answerQuestion(id);
		const status = await eventually(() => this.endOf(id)).catch(() => undefined);
		if (status !== undefined) history.add({ what: 'ended', id, status });
		const events = await follow;
		history.add({ what: 'read', id, reader: 'live', events: events.map(short) });
		if (this.stopped.has(id) || status === undefined) return;
		const isWhole = () => this.callbacksOf(id) >= this.settings.callbacks;
		await eventually(isWhole).catch(() => undefined);
	}

	/** Sends a kickoff with the same key until it is answered; some once more, like a load balancer. */
	private async kickOff(key: string): Promise<string> {
		const { history, inputs, random } = this.settings;
		const body = { inputs: inputs(key), ...this.urls() };
		let isAgain = random.integer(1, 4) === 1;
		return await eventually(async () => {
			const answer = await this.ask('POST', '/kickoff', body, { 'idempotency-key': key });
			const id = answer?.status === 200 ? String(answer.body['kickoff_id']) : undefined;
			if (id === undefined) return undefined;
			history.add({ what: 'kickoff', id, key });
			if (!isAgain) return id;
			isAgain = false;
			return undefined;
		});
	}

	private urls(): Record<string, string> {
		const [tasks, end] = this.settings.receivers;
		return {
			taskWebhookUrl: `${tasks.url}/`,
			crewWebhookUrl: `${end.url}/`,
			humanInputWebhookUrl: `${end.url}/`,
		};
	}

	private async stop(id: string): Promise<void> {
		await eventually(async () => {
			const answer = await this.ask('POST', `/stop/${id}`);
			if (!answer || answer.status >= 500) return false;
			// An unanswered stop may have been accepted.
			const status = answer.status === 200 ? 'stopped' : await this.endOf(id);
			if (status === undefined) return false;
			if (status === 'stopped') {
				this.settings.history.add({ what: 'stopped', id });
				this.stopped.add(id);
			}
			return true;
		}).catch(() => undefined);
	}

	/** Answers as soon as it asks; again at another server until one accepts or refuses the answer. */
	private async answerQuestion(id: string): Promise<void> {
		const { asks, history } = this.settings;
		if (asks === undefined) return;
		const waits = async () => {
			const answer = await this.ask('GET', `/${id}/status`);
			const status = String(answer?.body['status']);
			return ENDS.includes(status) || status === 'pending_human_input' ? status : undefined;
		};
		const status = await eventually(waits).catch(() => undefined);
		if (status !== 'pending_human_input') return;
		const body = {
			...{ execution_id: id, task_id: asks, human_feedback: 'Good', is_approve: true },
			...this.urls(),
		};
		await eventually(async () => {
			const answer = await this.ask('POST', '/resume', body);
			if (!answer || answer.status >= 500) return false;
			history.add({ what: 'resumed', id, status: answer.status });
			return true;
		}).catch(() => undefined);
	}

	/** The status of an execution that has ended; `undefined` before. */
	private async endOf(id: string): Promise<string | undefined> {
		const answer = await this.ask('GET', `/${id}/status`);
		const status = String(answer?.body['status']);
		return ENDS.includes(status) ? status : undefined;
	}

	private callbacksOf(id: string): number {
		const received = this.settings.receivers.flatMap((receiver) => receiver.received);
		const ids = received.map(({ headers }) => String(headers['webhook-id']));
		return new Set(ids.filter((one) => one.startsWith(id))).size;
	}

	/** Reads the events of an execution as they arrive, each time from the next server. */
	private async follow(id: string): Promise<StreamEvent[]> {
		const events: StreamEvent[] = [];
		let isOver = false;
		await eventually(async () => {
			const server = this.next();
			const read = server && (await this.eventsAt(server, id, events.length));
			events.push(...(read?.events ?? []));
			// A stream may have been cut off: only an empty one after the end shows that nothing is missing.
			const isAll = isOver && read?.isWhole && read.events.length === 0;
			isOver = (await this.endOf(id)) !== undefined;
			return isAll;
		}).catch(() => undefined);
		return events;
	}

	/** The events after a number that a server's stream sends in time; `undefined` if it does not answer. */
	private async eventsAt(
		{ url, accessToken }: Server,
		id: string,
		after: number,
	): Promise<Read | undefined> {
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

	/** Sends a request to the next server; `undefined` if it does not answer in time. */
	private async ask(
		method: string,
		path: string,
		body?: unknown,
		headers: Record<string, string> = {},
	): Promise<Answer | undefined> {
		const server = this.next();
		try {
			if (!server) throw new Error('There is no server');
			const { url, accessToken } = server;
			const response = await fetch(url + path, {
				method,
				headers: {
					...{ authorization: `Bearer ${accessToken}`, ...headers },
					...(body === undefined ? {} : { 'content-type': 'application/json' }),
				},
				body: body === undefined ? undefined : JSON.stringify(body),
				signal: AbortSignal.timeout(PATIENCE),
			});
			return { status: response.status, body: (await response.json()) as Answer['body'] };
		} catch {
			await sleep(BETWEEN);
			return undefined;
		}
	}

	/** None while there is no server. */
	private next(): Server | undefined {
		const { servers } = this.settings.fleet;
		this.turn += 1;
		return servers[this.turn % servers.length];
	}
}

const ENDS = ['completed', 'failed', 'error', 'stopped'];

/** `number type task mark`: equal events have equal marks. */
function short(event: StreamEvent): string {
	const { type, data } = event;
	const { emission_sequence, task_id = '-' } = data as Record<string, string | number>;
	const mark = createHash('sha256').update(JSON.stringify(event)).digest('hex').slice(0, 8);
	return [emission_sequence, type, task_id, mark].join(' ');
}

/** What a stream sends until it ends or is cut off. */
interface Read {
	events: StreamEvent[];
	/** Whether the stream has ended regularly. */
	isWhole: boolean;
}

async function readEvents(body: ReadableStream<Uint8Array>): Promise<Read> {
	let text = '';
	let isWhole = true;
	try {
		for await (const chunk of body) text += Buffer.from(chunk).toString();
	} catch {
		// Complete events count.
		isWhole = false;
	}
	const events = [...text.matchAll(/^data: (.*)\n\n/gm)].map(
		([, data = '']) => JSON.parse(data) as StreamEvent,
	);
	return { events, isWhole };
}

/** Waits until the condition holds, with pauses that leave the servers time for their work. */
function eventually<Value>(condition: () => Value | Promise<Value>) {
	return until(async () => {
		const value = await condition();
		if (!value) await sleep(PAUSE);
		return value;
	}, LONGEST);
}
