import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StreamEvent } from '../../../crew-server/src/domain/execution';
import type { SeededRandom } from '../../support/seededRandom';
import type { Receiver } from '../support/receiver';
import { until } from '../support/until';
import type { Fleet, Server } from './fleet';
import type { History } from './history';

/** Milliseconds in which an execution has to come to its end, and everybody to hear of it. */
const LONGEST = 180_000;
/** Milliseconds that a server which stands still is waited for. */
const PATIENCE = 2_000;
/** Milliseconds between two kickoffs, and how many that have not ended keep more from being made. */
const BETWEEN = 250;
const MOST_AT_ONCE = 16;
/** Milliseconds between two looks at the same thing. */
const PAUSE = 100;

interface Answer {
	status: number;
	body: Record<string, unknown>;
}

export interface LoadSettings {
	fleet: Fleet;
	history: History;
	random: SeededRandom;
	/** What is called when a task, and when the crew has come to its end. */
	receivers: readonly [tasks: Receiver, end: Receiver];
	/** The inputs of the next execution, and the task about which a person is asked. */
	inputs: (key: string) => Record<string, unknown>;
	asks?: string;
	/** How many callbacks an execution makes that comes to its end. */
	callbacks: number;
}

/** Kicks executions off at a fleet, answers their questions, stops some, and sees what becomes of them. */
export class Load {
	private readonly ids = new Set<string>();
	private readonly stopped = new Set<string>();
	private readonly underWay = new Set<Promise<void>>();
	private turn = 0;

	constructor(private readonly settings: LoadSettings) {}

	/** Kicks off one after the other as long as the signal lets it, and at least so many. */
	async arrive(least: number, signal: AbortSignal): Promise<void> {
		for (let count = 0; count < least || !signal.aborted; count += 1) {
			const one = this.accompany(count % 6 === 5).finally(() => this.underWay.delete(one));
			this.underWay.add(one);
			await sleep(BETWEEN);
			while (this.underWay.size >= MOST_AT_ONCE) await Promise.race(this.underWay);
		}
	}

	/** Notes what has become of all, once all has ended. */
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

	/** From its kickoff to its end. What does not come to one is missing in the history. */
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

	/** Sends a kickoff until it is answered, with the same key; some again, as a load balancer may. */
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
			// A stop that was not answered may have been taken.
			const status = answer.status === 200 ? 'stopped' : await this.endOf(id);
			if (status === undefined) return false;
			if (status === 'stopped') {
				this.settings.history.add({ what: 'stopped', id });
				this.stopped.add(id);
			}
			return true;
		}).catch(() => undefined);
	}

	/** Answers as soon as it asks; again at another server if nobody has said that the answer was taken. */
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

	/** The status of one that has ended. */
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

	/** Reads the events of an execution as they come, at another server whenever one is gone. */
	private async follow(id: string): Promise<StreamEvent[]> {
		const events: StreamEvent[] = [];
		let isOver = false;
		await eventually(async () => {
			const server = this.next();
			const read = server && (await this.eventsAt(server, id, events.length));
			events.push(...(read?.events ?? []));
			// A stream may have been broken off: only what is read after the end is all.
			const isAll = isOver && read?.isWhole && read.events.length === 0;
			isOver = (await this.endOf(id)) !== undefined;
			return isAll;
		}).catch(() => undefined);
		return events;
	}

	/** The events after one, as far as the stream of a server tells them in time; `undefined` if it does not answer. */
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

	/** Asks the next server; `undefined` if it does not answer in time. */
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

	/** None while all have ended. */
	private next(): Server | undefined {
		const { servers } = this.settings.fleet;
		this.turn += 1;
		return servers[this.turn % servers.length];
	}
}

const ENDS = ['completed', 'failed', 'error', 'stopped'];

/** `number type task mark`: two that are the same say the same. */
function short(event: StreamEvent): string {
	const { type, data } = event;
	const { emission_sequence, task_id = '-' } = data as Record<string, string | number>;
	const mark = createHash('sha256').update(JSON.stringify(event)).digest('hex').slice(0, 8);
	return [emission_sequence, type, task_id, mark].join(' ');
}

/** What a stream tells until it ends or is broken off. */
interface Read {
	events: StreamEvent[];
	/** Whether it has come to its end. */
	isWhole: boolean;
}

async function readEvents(body: ReadableStream<Uint8Array>): Promise<Read> {
	let text = '';
	let isWhole = true;
	try {
		for await (const chunk of body) text += Buffer.from(chunk).toString();
	} catch {
		// What has come whole counts.
		isWhole = false;
	}
	const events = [...text.matchAll(/^data: (.*)\n\n/gm)].map(
		([, data = '']) => JSON.parse(data) as StreamEvent,
	);
	return { events, isWhole };
}

/** Waits until the condition holds; the servers have other things to do than to answer. */
function eventually<Value>(condition: () => Value | Promise<Value>) {
	return until(async () => {
		const value = await condition();
		if (!value) await sleep(PAUSE);
		return value;
	}, LONGEST);
}
