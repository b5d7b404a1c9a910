import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

import { Ring } from '../ring';
import type { CallbackAttempt, CallbackRecord, DueCallback } from './callback';

export interface DeliverySettings {
	/** Milliseconds for one try. */
	timeout: number;
	/** Tries for one callback, the first included. */
	tries: number;
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

/** Sends callbacks: those of one execution to one receiver in order, all others side by side. */
export class Deliveries {
	private readonly agent = new Agent({ connections: CONNECTIONS_PER_RECEIVER });
	private readonly closing = new AbortController();
	private readonly sent: Ring<CallbackRecord>;
	private readonly queues = new Map<string, Promise<void>>();

	constructor(private readonly settings: DeliverySettings = DEFAULT_DELIVERY) {
		this.sent = new Ring(settings.remembered);
	}

	/** Takes callbacks over; they are sent from now on, and {@link records} tells what became of them. */
	send(callbacks: readonly DueCallback[]): void {
		for (const due of callbacks) {
			const record = recordOf(due);
			this.sent.add(record);
			this.queueUp(`${due.kickoffId} ${originOf(due.url)}`, () => this.deliver(record));
		}
	}

	records(): readonly CallbackRecord[] {
		return this.sent.all().map((record) => ({ ...record, attempts: [...record.attempts] }));
	}

	/** Ends tries that are under way; nothing is sent afterwards. */
	async close(): Promise<void> {
		this.closing.abort();
		await Promise.all(this.queues.values());
		await this.agent.destroy();
	}

	private queueUp(name: string, work: () => Promise<void>): void {
		const tail = (this.queues.get(name) ?? Promise.resolve()).then(work);
		this.queues.set(name, tail);
		void tail.then(() => {
			if (this.queues.get(name) === tail) this.queues.delete(name);
		});
	}

	private async deliver(record: CallbackRecord): Promise<void> {
		for (let attempt = 1; attempt <= this.settings.tries; attempt++) {
			if (attempt > 1 && !(await this.pause(this.settings.retryDelay * 4 ** (attempt - 2)))) return;
			if (this.closing.signal.aborted) return;
			const outcome = await this.attempt(record);
			record.attempts.push(outcome);
			record.status = outcome.status;
			record.problem = outcome.problem;
			if (outcome.problem === undefined) {
				record.fate = 'delivered';
				return;
			}
			if (!isWorthRepeating(outcome)) break;
		}
		record.fate = 'given_up';
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

	/** @returns whether the time went by without the end of all deliveries */
	private async pause(milliseconds: number): Promise<boolean> {
		return sleep(milliseconds, true, { signal: this.closing.signal, ref: false }).catch(
			() => false,
		);
	}
}

function recordOf({ authorization, ...due }: DueCallback): CallbackRecord {
	const headers: Record<string, string> = { 'content-type': 'application/json' };
	if (authorization !== undefined) headers['authorization'] = authorization;
	return { ...due, headers, fate: 'due', attempts: [] };
}

function isWorthRepeating({ status }: CallbackAttempt): boolean {
	return status === undefined || status === 408 || status === 429 || status >= 500;
}

function originOf(url: string): string {
	return new URL(url).origin;
}
