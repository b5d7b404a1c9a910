import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { sleep } from 'n8n-workflow';
import { startCrewServer, type CrewDefinition, type CrewServer } from '../../../crew-server/src';
import { jsonOf, listenOnLoopback, type Loopback } from '../../../sandbox/src/loopback';
import { runCrew, type CrewNode, type EngineOptions, type EngineRun } from '../engine';
import { ParkedExecution } from '../parkedExecution';
import type { WebhookAnswer } from '../webhookCall';
import type { Setting } from './cells';

/** One run of a kickoff that waits, with faults. */
export interface WaitingCell extends Setting {
	/** Whether the execution is kept running instead of waiting. */
	isHeld: boolean;
	/** In the crew server's notation. */
	faults: string[];
}

/** What can be seen after the wait. */
export interface WaitingFacts {
	run: EngineRun;
	/** By item: the IDs of the executions that the crew has for it. */
	kickoffIds: string[][];
	/** How many requests to the crew were still open. */
	open: number;
	/** How often the node ended the wait. */
	ends: number;
	/** Milliseconds until n8n continued. */
	elapsed: number;
}

const RUNNING: WebhookAnswer = {
	status: 409,
	answer: { message: 'The execution "execution-1" is running already.' },
};

/** Seconds. */
export const LIMIT = 60;

/** Milliseconds that each crew takes; they end in the order of the items. */
const DURATIONS = [5_000, 7_000, 9_000];

const TIMED: CrewDefinition = {
	name: 'timed',
	inputs: [
		{ name: 'topic', type: 'string', required: true },
		{ name: 'duration', type: 'number', required: true },
	],
	tasks: [
		{
			name: 'work',
			description: 'Work on {topic}',
			expectedOutput: 'A text',
			agent: 'Worker',
			duration: '{duration}',
			output: 'About {topic}',
		},
	],
};

/** A crew, and an n8n that it can call back. */
export class WaitingRig {
	private receive: ((request: IncomingMessage) => Promise<WebhookAnswer>) | undefined;

	private constructor(
		private readonly crew: CrewServer,
		private readonly n8n: Loopback,
	) {}

	static async open(): Promise<WaitingRig> {
		const server = createServer();
		const crew = await startCrewServer({ crew: TIMED });
		const rig = new WaitingRig(crew, await listenOnLoopback(server));
		server.on('request', (request, response) => {
			const received = rig.receive?.(request) ?? Promise.resolve(RUNNING);
			void received.then(({ status, answer }) =>
				response
					.writeHead(status, { 'content-type': 'application/json' })
					.end(JSON.stringify(answer ?? {})),
			);
		});
		return rig;
	}

	async close(): Promise<void> {
		await this.n8n.close();
		await this.crew.close();
	}

	/** Runs a cell, and returns what can be seen afterwards. */
	async run(cell: WaitingCell): Promise<WaitingFacts> {
		// This makes the order of the status requests, and so the item with the fault, the same in each run.
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		const items = DURATIONS.map((duration) => ({ topic: randomUUID(), duration }));
		const before = this.crew.requests().at(-1)?.id ?? 0;
		this.crew.setFaults(cell.faults);
		const begin = Date.now();
		const { run, ends } = await this.runAndWait(nodeOf(cell), {
			items,
			credential: { baseUrl: this.crew.url, accessToken: this.crew.accessToken },
			n8nUrl: this.n8n.url,
		});
		const elapsed = Date.now() - begin;
		// By then, late callbacks and the node's checks of the parked execution have ended.
		await sleep(30_000);
		this.receive = undefined;
		this.crew.setFaults([]);
		const executions = await this.crew.executions();
		return {
			run,
			ends: ends(),
			elapsed,
			kickoffIds: items.map(({ topic }) =>
				executions.filter(({ inputs }) => inputs.topic === topic).map(({ kickoffId }) => kickoffId),
			),
			open: this.crew.requests().filter(({ id, isOpen }) => id > before && isOpen).length,
		};
	}

	private async runAndWait(node: CrewNode, options: EngineOptions) {
		const shown = await runCrew(node, options);
		const parked = ParkedExecution.after(shown, node, options);
		if (!parked) return { run: shown, ends: () => 0 };
		const resumed = new Promise<EngineRun>((resolve) => {
			this.receive = async (request) => {
				const body = await jsonOf<unknown>(request);
				const url = `http://n8n${request.url ?? ''}`;
				const answer = await parked.call(url, { body });
				if (answer.resumed) resolve(answer.resumed);
				return answer;
			};
		});
		const isUp = sleep(parked.waitTill.getTime() - Date.now()).then(() => undefined);
		const run = (await Promise.race([resumed, isUp])) ?? (await parked.timeIsUp());
		return { run, ends: () => parked.ends };
	}
}

function nodeOf({ isHeld, onError, retry }: WaitingCell): CrewNode {
	return {
		parameters: {
			operation: 'kickoff',
			specifyInputs: 'json',
			inputsJson: '={{ JSON.stringify({ topic: $json.topic, duration: $json.duration }) }}',
			wait: 'end',
			resumeAmount: LIMIT,
			resumeUnit: 'seconds',
			options: { maxParallel: 1, n8nMeta: false, hold: isHeld },
		},
		settings: {
			onError,
			...(retry ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } : {}),
		},
	};
}
