import { sleep } from 'n8n-workflow';
import nock from 'nock';
import { endAllPollers } from '../../nodes/Crew/waiting/backgroundPoller';
import { runCrew, type CrewNode, type EngineOptions, type EngineRun } from './engine';
import { inFastTime, VERY_FAST } from './fastTime';
import { ParkedExecution } from './parkedExecution';
import type { WaitingCrew } from './waitingCrew';

/** n8n's answer to a call of its resume URL instead of handling it. */
export type Refusal = readonly [status: number, body?: unknown, headers?: Record<string, string>];

export interface WaitOptions extends EngineOptions {
	/** Called when the execution waits. */
	meanwhile?: (parked: ParkedExecution) => void;
	/** Returns n8n's answer to a call while the execution waits; `undefined` if n8n handles the call. */
	refuse?: (url: URL) => Refusal | undefined;
	/** The answer at n8n's own address while the execution is running; n8n's usual answer by default. */
	probe?: Refusal;
	/** Milliseconds after which the execution is left waiting. */
	forAtMost?: number;
	/** Milliseconds until n8n has stored the execution. */
	storedAfter?: number;
	/** Milliseconds that pass for each real one. */
	speed?: number;
}

export interface WaitOutcome {
	/** The run as n8n shows it while it waits, or as it ended. */
	shown: EngineRun;
	/** `undefined` if the execution was kept running. */
	parked?: ParkedExecution;
	/** How it continued. */
	resumed?: EngineRun;
	/** The `callback` marks of all calls of the resume URL while the execution waited. */
	calls: string[];
	/** How often the URL was called before. */
	probed: number;
	/** When the execution began to wait or ended, in milliseconds since the epoch. */
	begun: number;
	/** When it continued. */
	ended: number;
}

let addresses = 0;

/** A new address, since the node remembers for each one whether n8n can call itself. */
const newN8nUrl = () => `https://n8n-${++addresses}.example.com`;

const RUNNING: Refusal = [409, { message: 'The execution "execution-1" is running already.' }];

function reply([status, body, headers = {}]: Refusal): nock.ReplyFnResult {
	return [status, body as nock.Body, headers];
}

/** Runs the node and lets its execution wait, like n8n; its resume URLs can be called. */
export async function waitInN8n(node: CrewNode, options: WaitOptions = {}): Promise<WaitOutcome> {
	const { meanwhile, forAtMost = 600_000, n8nUrl = newN8nUrl(), speed = VERY_FAST } = options;
	const outcome: Partial<WaitOutcome> & { calls: string[]; probed: number } = {
		calls: [],
		probed: 0,
	};
	let parked: ParkedExecution | undefined;
	let end: () => void = () => undefined;
	const over = new Promise<void>((resolve) => (end = resolve));
	/** By the monotonic clock, since a test may set the other one. */
	let storedAt = 0;
	nock(n8nUrl)
		.persist()
		.post(/^\/webhook-waiting\//)
		.reply(async (path, body) => {
			const url = new URL(path, n8nUrl);
			if (!parked) {
				outcome.probed++;
				return reply(options.probe ?? RUNNING);
			}
			if (performance.now() < storedAt) return reply(RUNNING);
			outcome.calls.push(url.searchParams.get('callback') ?? '');
			const refusal = options.refuse?.(url);
			if (refusal) return reply(refusal);
			const answer = await parked.call(url.href, { body });
			outcome.resumed ??= answer.resumed;
			if (outcome.resumed) end();
			return [answer.status, answer.answer as nock.Body];
		});
	await inFastTime(async () => {
		outcome.shown = await runCrew(node, { ...options, n8nUrl });
		outcome.begun = Date.now();
		storedAt = performance.now() + (options.storedAfter ?? 0);
		parked = ParkedExecution.after(outcome.shown, node, { ...options, n8nUrl });
		if (parked) {
			meanwhile?.(parked);
			setTimeout(end, forAtMost);
			await over;
		}
		outcome.ended = Date.now();
		endAllPollers();
		await sleep(1_000);
	}, speed);
	return { ...outcome, parked } as WaitOutcome;
}

export const MINUTE = 60_000;

/** How many milliseconds late the clock of these tests may be. */
export const LATE = 1_500;

/** {@link waitInN8n} with a Crew node for this crew. */
export async function runWait(
	crew: WaitingCrew,
	parameters: CrewNode['parameters'],
	options: WaitOptions = {},
) {
	const credential = { baseUrl: crew.baseUrl };
	const outcome = await waitInN8n({ parameters }, { credential, ...options });
	const askedAfter = crew.askedAt.map((time) => time - outcome.begun);
	return { ...outcome, askedAfter, waited: outcome.ended - outcome.begun };
}

/** Lets the crews complete after this many milliseconds, without a callback. */
export const completeAt =
	(crew: WaitingCrew, milliseconds: number, ...numbers: number[]) =>
	() => {
		setTimeout(() => {
			crew.complete(...numbers);
		}, milliseconds);
	};
