import type { INode } from 'n8n-workflow';
import { own } from '../model/json';
import { CrewApiError, isBroken, refusal } from './errors';
import type { CrewRequest, CrewResponse, Send } from './exchange';
import { gateOf, type Gate } from './gate';
import type { Sent, Strain } from './parallelism';
import { pause } from './pause';
import { LONGEST_PAUSE } from './retry';
import { readRetryAfter } from './retryAfter';
import { withTimeLimit } from './timeLimit';
import { WasNotSent } from './wasNotSent';

type Method = CrewRequest['method'];

type Outcome = { response: CrewResponse } | { error: unknown };

/** In the place of an answer, where a crew that refuses requests does not get any more of them. */
const BUSY: CrewResponse = { status: 429, headers: {}, body: undefined, text: '' };

/** The requests of one execution to one crew, on their way through the gates that it shares with others. */
export class Lane {
	/** Refused requests of this lane that wait until the server lets them come again. */
	private resting = 0;
	private readonly gates = new Set<Gate>();
	private isLeft = false;

	/**
	 * @param given how many requests to send at once; 0 finds that out
	 * @param sendNow sends one request once
	 * @param abortSignal ends the waiting of what was not sent
	 */
	constructor(
		private readonly node: INode,
		private readonly baseUrl: string,
		private readonly given: number,
		private readonly sendNow: Send,
		private readonly abortSignal?: AbortSignal,
	) {
		abortSignal?.addEventListener('abort', () => {
			this.sendAway();
		});
	}

	/** How many requests to have in hand, for now: those that may be under way, and those that rest. */
	atOnce(method: Method): number {
		return gateOf(this.baseUrl, method, this.given).atOnce + this.resting;
	}

	/** Sends nothing more of what waits. What is under way is heard out. */
	leave(): void {
		this.isLeft = true;
		this.sendAway();
	}

	/** Sends a request when its turn has come, and again where the crew does not take it for the moment. */
	readonly send: Send = async (request) => {
		const gate = gateOf(this.baseUrl, request.method, this.given);
		this.gates.add(gate);
		for (let refusedAt: number | undefined; ;) {
			const { sent, timeout } = await this.enter(gate, request);
			const outcome = await this.attempt({ ...request, timeout });
			refusedAt ??= Date.now();
			const strain = this.judge(gate, request, outcome, refusedAt);
			gate.exit(sent, strain);
			if (strain.kind !== 'refused' || !strain.isSentAgain) return unwrap(outcome);
			await this.rest(strain.retryAfter);
			if (this.isEnded) return unwrap(outcome);
		}
	};

	private get isEnded(): boolean {
		return this.isLeft || this.abortSignal?.aborted === true;
	}

	private sendAway(): void {
		for (const gate of this.gates) gate.sendAway(this, new WasNotSent(this.node));
	}

	/** Who asks again anyway does not wait for its turn for longer than for the answer. */
	private async enter(
		gate: Gate,
		{ timeout, isAskedAgain }: CrewRequest,
	): Promise<{ sent: Sent; timeout: number }> {
		const sent = gate.tryToEnter();
		if (sent) return { sent, timeout };
		if (!isAskedAgain) return { sent: await gate.enter(this), timeout };
		try {
			const late = await withTimeLimit(
				timeout,
				this.abortSignal,
				async (signal) => await gate.enter(this, signal),
			);
			return { sent: late, timeout };
		} catch (error) {
			throw error instanceof WasNotSent ? error : refusal('status', BUSY);
		}
	}

	private async attempt(request: CrewRequest): Promise<Outcome> {
		try {
			return { response: await this.sendNow(request) };
		} catch (error) {
			return { error };
		}
	}

	private judge(
		gate: Gate,
		{ isAskedAgain }: CrewRequest,
		outcome: Outcome,
		refusedAt: number,
	): Strain {
		const kind = strainOf(outcome);
		// It may have had little time.
		if (kind === 'broken' && isAskedAgain && 'error' in outcome) return { kind: 'unheard' };
		if (kind !== 'refused') return { kind };
		const retryAfter =
			'response' in outcome
				? readRetryAfter(own(outcome.response.headers, 'retry-after'))
				: undefined;
		const isPassing = isAskedAgain !== true && (retryAfter ?? 0) <= LONGEST_PAUSE;
		const isSentAgain = isPassing && !this.isEnded && gate.isPatient(refusedAt);
		return { kind, retryAfter, isSentAgain };
	}

	private async rest(milliseconds = 0): Promise<void> {
		if (milliseconds === 0) return;
		this.resting++;
		await pause(milliseconds, this.abortSignal);
		this.resting--;
	}
}

function strainOf(outcome: Outcome): Strain['kind'] {
	if ('error' in outcome) {
		return (outcome.error instanceof CrewApiError && outcome.error.strain) || 'unheard';
	}
	const { status } = outcome.response;
	if (status === 429) return 'refused';
	if (isBroken(status)) return 'broken';
	// To say that something is wrong takes a crew no effort.
	return status < 400 ? 'well' : 'unheard';
}

function unwrap(outcome: Outcome): CrewResponse {
	if ('error' in outcome) throw outcome.error;
	return outcome.response;
}
