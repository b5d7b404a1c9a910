import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrewServer } from '../../crew-server/src';
import { jsonOf, listenOnLoopback, unlessBrokenOff } from '../../sandbox/src/loopback';
import type { StartBody } from './waitingCrew';

/** How an execution of a crew ends. */
export type Outcome = { output: string } | { error: string };

/** One execution of a {@link ScriptedCrew}. */
export interface ScriptedExecution {
	kickoffId: string;
	topic: string;
	hasEnded: boolean;
	body: StartBody;
}

/** The trouble with a request, which comes before it is handled. */
export interface Trouble {
	/** Milliseconds. */
	delay?: number;
	/** A gateway's answer instead of the crew's. */
	status?: number;
	/** Seconds. */
	retryAfter?: number;
}

interface Script {
	outcomeOf: (topic: string) => Outcome;
	befalls?: (asked: 'kickoff' | 'status') => Trouble;
	/** Called when a kickoff has been answered. */
	onKickoff?: (execution: ScriptedExecution) => void;
}

/** The tasks of an execution with this output, each with its own output. */
export function tasksOf(output: string): Array<{ task_id: string; output: string }> {
	const half = output.slice(0, output.length / 2);
	return [half, output].map((text, index) => ({ task_id: `task_${index}`, output: text }));
}

/** A crew over HTTP that the test controls: nothing happens by itself, and nothing is repeated. */
export class ScriptedCrew implements Pick<CrewServer, 'url' | 'accessToken'> {
	readonly accessToken = randomBytes(16).toString('hex');
	readonly executions: ScriptedExecution[] = [];
	/** How many requests were answered: status requests by the crew, and any requests by a gateway. */
	readonly answered = { asCrew: 0, inItsPlace: 0 };
	private constructor(
		private readonly script: Script,
		public url = '',
		public close = (): Promise<void> => Promise.resolve(),
	) {}

	static async start(script: Script): Promise<ScriptedCrew> {
		const crew = new ScriptedCrew(script);
		const server = createServer((request, response) => {
			crew.answer(request, response).catch(unlessBrokenOff(request));
		});
		return Object.assign(crew, await listenOnLoopback(server));
	}

	/** The executions with this topic: more than one if a crew was started twice. */
	about(topic: string): ScriptedExecution[] {
		return this.executions.filter((one) => one.topic === topic);
	}

	/**
	 * Reports an execution's end to n8n at each call; returns n8n's answer, or 0 without one.
	 *
	 * @param patience milliseconds after which the crew gives up
	 */
	async callBack(
		{ kickoffId, topic, body }: ScriptedExecution,
		patience = 60_000,
	): Promise<[status: number, text: string]> {
		const outcome = this.script.outcomeOf(topic);
		const [url, told] =
			'output' in outcome
				? [body.crewWebhookUrl, { kickoff_id: kickoffId, result: outcome.output }]
				: [body.webhooks?.url, { events: [failureOf(kickoffId, outcome.error)] }];
		if (url === undefined) return [0, 'It has no URL to call'];
		try {
			const answer = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(told),
				signal: AbortSignal.timeout(patience),
			});
			return [answer.status, await answer.text()];
		} catch (error) {
			return [0, String(error)];
		}
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const send = (status: number, body: unknown, headers = {}) => {
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			response.end(JSON.stringify(body));
		};
		const isKickoff = request.url === '/kickoff';
		const body = isKickoff ? await jsonOf<StartBody>(request) : undefined;
		const trouble = this.script.befalls?.(isKickoff ? 'kickoff' : 'status') ?? {};
		if (trouble.delay !== undefined) await sleep(trouble.delay);
		if (trouble.status !== undefined) {
			const { retryAfter } = trouble;
			this.answered.inItsPlace++;
			send(trouble.status, {}, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
		} else if (request.headers.authorization !== `Bearer ${this.accessToken}`) {
			send(401, { detail: 'Not authenticated' });
		} else if (body) {
			const execution = this.kickOff(body);
			response.once('finish', () => this.script.onKickoff?.(execution));
			send(200, { kickoff_id: execution.kickoffId });
		} else {
			send(...this.statusFor(request.url ?? ''));
		}
	}

	private kickOff(body: StartBody): ScriptedExecution {
		const { topic } = (body.inputs ?? {}) as { topic?: unknown };
		const execution = { kickoffId: randomUUID(), topic: String(topic), hasEnded: false, body };
		this.executions.push(execution);
		return execution;
	}

	private statusFor(path: string): [number, unknown] {
		const execution = this.executions.find(({ kickoffId }) => path === `/${kickoffId}/status`);
		if (!execution) return [404, { detail: 'Execution not found' }];
		this.answered.asCrew++;
		if (!execution.hasEnded) return [200, { status: 'running' }];
		const outcome = this.script.outcomeOf(execution.topic);
		if ('error' in outcome) return [200, { status: 'error', error: outcome.error }];
		const { output } = outcome;
		return [200, { status: 'completed', result: { output, tasks: tasksOf(output) } }];
	}
}

function failureOf(kickoffId: string, error: string) {
	const timestamp = new Date().toISOString();
	const type = 'crew_kickoff_failed';
	return { id: randomUUID(), execution_id: kickoffId, timestamp, type, data: { error } };
}
