import { Agent, request } from 'undici';

import type { CallbackAuthentication, DueCallback } from '../domain/targets';
import type { CallbackAttempt, ClaimedCallback } from '../store/store';

/** The outcome of an attempt. */
export interface Outcome {
	attempt: CallbackAttempt;
	/** Whether another attempt may succeed. */
	isWorthRepeating: boolean;
}

/** Tries once to send a callback. It never rejects; an attempt that the signal cuts off has a problem. */
export type Sender = (callback: ClaimedCallback, signal: AbortSignal) => Promise<Outcome>;

/** Sends by HTTP. */
export class Post {
	private readonly agent: Agent;

	/**
	 * @param connections at most so many to one origin
	 * @param timeout milliseconds for one try
	 */
	constructor(
		connections: number,
		private readonly timeout: number,
	) {
		this.agent = new Agent({ connections });
	}

	readonly send: Sender = async (callback, signal) => {
		const at = Date.now();
		// Not AbortSignal.timeout: on Node 20, it may stop after a garbage collection.
		const clock = new AbortController();
		const timer = setTimeout(() => {
			clock.abort();
		}, this.timeout);
		const end = () => {
			clock.abort(signal.reason);
		};
		signal.addEventListener('abort', end, { once: true });
		try {
			signal.throwIfAborted();
			return outcomeOf(at, await this.post(callback, clock.signal));
		} catch (error) {
			const isLate = clock.signal.aborted && !signal.aborted;
			const problem = isLate ? `no answer within ${this.timeout} ms` : reasonOf(error);
			return { attempt: { at, problem }, isWorthRepeating: true };
		} finally {
			clearTimeout(timer);
			signal.removeEventListener('abort', end);
		}
	};

	async close(): Promise<void> {
		await this.agent.destroy();
	}

	/** @returns the answer's status */
	private async post(callback: DueCallback, signal: AbortSignal): Promise<number> {
		const { id, url, authentication, body } = callback;
		const authorization = authorizationFor(authentication ?? authenticationIn(new URL(url)));
		const answer = await request(url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'webhook-id': id,
				...(authorization === undefined ? {} : { authorization }),
			},
			body: JSON.stringify(body),
			dispatcher: this.agent,
			signal,
		});
		await answer.body.dump();
		return answer.statusCode;
	}
}

function outcomeOf(at: number, status: number): Outcome {
	const isTaken = status >= 200 && status < 300;
	return {
		attempt: isTaken ? { at, status } : { at, status, problem: `answered ${status}` },
		isWorthRepeating: status === 408 || status === 429 || status >= 500,
	};
}

function reasonOf(error: unknown): string {
	const { name, message } = error as Partial<Error>;
	return message || name || 'no answer';
}

/** The value of the `Authorization` header that a target asks for, if any. */
function authorizationFor(authentication?: CallbackAuthentication): string | undefined {
	if (!authentication) return undefined;
	if (authentication.strategy === 'bearer') return `Bearer ${authentication.token}`;
	const { username, password } = authentication;
	return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

/** The user and password that a URL names. */
function authenticationIn({ username, password }: URL): CallbackAuthentication | undefined {
	if (username === '' && password === '') return undefined;
	return { strategy: 'basic', username: decoded(username), password: decoded(password) };
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
