import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

import { amountOf, type FaultKind } from '../faults/fault';
import { Ring } from '../ring';
import type { CallbackAttempt, CallbackRecord, DueCallback } from './callback';

export interface DeliverySettings {
	/** Milliseconds for one try. */
	timeout: number;
	/** Tries for one callback, the first included. */
	tries: number;
	/** The same for what somebody may be waiting for: the crew's end, and questions to a person. `tries` unless given. */
	triesOfAwaited?: number;
	/** Milliseconds before the second try; each further one waits four times as long. */
	retryDelay: number;
	/** Callbacks whose fate is remembered. */
	remembered: number;
}

export const DEFAULT_DELIVERY: DeliverySettings = {
	timeout: 10_000,
	tries: 3,
	retryDelay: 500,
	remembered: 1_000,
};

/** How many callbacks are on their way to one receiver at a time. */
const CONNECTIONS_PER_RECEIVER = 64;

/** Characters of a body that are remembered once its fate is known. */
const REMEMBERED_BODY = 64 * 1024;

/** Milliseconds that a callback which is to come out of order waits for the one that follows it. */
const WAIT_FOR_FOLLOWER = 1_000;

/** Sends callbacks: those of one execution to one receiver in order, all others side by side. */
export class Deliveries {
	private readonly agent = new Agent({ connections: CONNECTIONS_PER_RECEIVER });
	private readonly closing = new AbortController();
	private readonly sent: Ring<CallbackRecord>;
	/** The end of each queue: what comes next waits for it. */
	private readonly queues = new Map<string, Promise<void>>();
	/** What is to be sent after the next one of its queue. */
	private readonly overtaken = new Map<string, () => void>();
	private readonly strays = new Set<Promise<void>>();

	/** @param onFate is told of each callback whose fate has changed */
	constructor(
		private readonly settings: DeliverySettings,
		private readonly onFate: (record: CallbackRecord) => void,
	) {
		this.sent = new Ring(settings.remembered);
		// Any number of callbacks wait at once, to be sent or sent again.
		setMaxListeners(0, this.closing.signal);
	}

	/** Takes callbacks over; they are sent from now on, and {@link records} tells what became of them. */
	send(callbacks: readonly DueCallback[]): void {
		for (const due of callbacks) this.take(due);
	}

	records(): readonly CallbackRecord[] {
		return this.sent.all().map((record) => ({ ...record, attempts: [...record.attempts] }));
	}

	/** Ends tries that are under way; nothing is sent afterwards, and what was due stays due. */
	async close(): Promise<void> {
		this.closing.abort();
		await Promise.all([...this.queues.values(), ...this.strays]);
		await this.agent.destroy();
	}

	private take(due: DueCallback): void {
		const record = this.remember(due);
		if (!URL.canParse(due.url)) {
			this.decide(record, 'given_up', 'its URL cannot be read');
			return;
		}
		const queue = `${due.kickoffId} ${new URL(due.url).origin}`;
		const fault = (kind: FaultKind) => due.faults?.find((one) => one.kind === kind);
		const late = fault('callback-late');
		if (fault('callback-lost')) {
			this.decide(record, 'lost', 'kept back by a fault');
		} else if (late) {
			this.stray(this.pause(amountOf(late)).then(() => this.deliver(record)));
		} else if (fault('callback-out-of-order')) {
			this.letOvertake(queue, record);
		} else {
			this.queueUp(queue, () => this.deliver(record));
			this.overtaken.get(queue)?.();
		}
		if (fault('callback-twice')) {
			const again = this.remember({ ...due, id: randomUUID() });
			this.queueUp(queue, () => this.deliver(again));
		}
	}

	private remember(due: DueCallback): CallbackRecord {
		const record = recordOf(due);
		this.sent.add(record);
		return record;
	}

	private queueUp(queue: string, work: () => Promise<void>): void {
		const tail = (this.queues.get(queue) ?? Promise.resolve()).then(work);
		this.queues.set(queue, tail);
		void tail.then(() => {
			if (this.queues.get(queue) === tail) this.queues.delete(queue);
		});
	}

	private letOvertake(queue: string, record: CallbackRecord): void {
		const follower = new AbortController();
		this.overtaken.set(queue, () => {
			follower.abort();
		});
		const signal = AbortSignal.any([follower.signal, this.closing.signal]);
		const send = () => {
			this.overtaken.delete(queue);
			this.queueUp(queue, () => this.deliver(record));
		};
		this.stray(
			sleep(WAIT_FOR_FOLLOWER, undefined, { signal })
				.catch(() => undefined)
				.then(send),
		);
	}

	/** Keeps work in sight that belongs to no queue, for the end. */
	private stray(work: Promise<void>): void {
		this.strays.add(work);
		void work.then(() => this.strays.delete(work));
	}

	private async deliver(record: CallbackRecord): Promise<void> {
		const { tries, triesOfAwaited = tries } = this.settings;
		const isAwaited = record.kind === 'crew' || record.kind === 'human_input';
		for (let attempt = 1; attempt <= (isAwaited ? triesOfAwaited : tries); attempt++) {
			if (attempt > 1) await this.pause(this.settings.retryDelay * 4 ** (attempt - 2));
			if (this.isClosing()) return;
			const outcome = await this.attempt(record);
			// What the end has cut off was not tried to the end: it is still due.
			if (this.isClosing() && outcome.problem !== undefined) return;
			record.attempts.push(outcome);
			record.status = outcome.status;
			if (outcome.problem === undefined) {
				this.decide(record, 'delivered');
				return;
			}
			record.problem = outcome.problem;
			this.onFate(record);
			if (!isWorthRepeating(outcome)) break;
		}
		this.decide(record, 'given_up', record.problem);
	}

	private decide(record: CallbackRecord, fate: CallbackRecord['fate'], problem?: string): void {
		record.fate = fate;
		record.problem = problem;
		const bytes = JSON.stringify(record.body).length;
		if (bytes > REMEMBERED_BODY) record.body = { bytes };
		this.onFate(record);
	}

	private async attempt(record: CallbackRecord): Promise<CallbackAttempt> {
		const at = Date.now();
		try {
			const { statusCode, body } = await request(record.url, {
				method: 'POST',
				headers: record.headers,
				body: JSON.stringify(record.body),
				dispatcher: this.agent,
				signal: AbortSignal.any([this.closing.signal, AbortSignal.timeout(this.settings.timeout)]),
			});
			await body.dump();
			const isTaken = statusCode >= 200 && statusCode < 300;
			return isTaken
				? { at, status: statusCode }
				: { at, status: statusCode, problem: `answered ${statusCode}` };
		} catch (error) {
			return { at, problem: this.reason(error) };
		}
	}

	private reason(error: unknown): string {
		const { name, message } = error as Partial<Error>;
		if (name === 'TimeoutError') return `no answer within ${this.settings.timeout} ms`;
		return message || name || 'no answer';
	}

	private isClosing(): boolean {
		return this.closing.signal.aborted;
	}

	/** Waits, but not beyond the end of all deliveries. */
	private async pause(milliseconds: number): Promise<void> {
		await sleep(milliseconds, undefined, { signal: this.closing.signal }).catch(() => undefined);
	}
}

function recordOf({ authorization, faults, ...due }: DueCallback): CallbackRecord {
	const headers: Record<string, string> = { 'content-type': 'application/json' };
	const hasWrongToken = faults?.some(({ kind }) => kind === 'callback-wrong-token') ?? false;
	if (hasWrongToken) headers['authorization'] = 'Bearer wrong-token';
	else if (authorization !== undefined) headers['authorization'] = authorization;
	const { id, kickoffId, kind, url, body } = due;
	return { id, kickoffId, kind, url, headers, body, fate: 'due', attempts: [] };
}

function isWorthRepeating({ status }: CallbackAttempt): boolean {
	return status === undefined || status === 408 || status === 429 || status >= 500;
}
