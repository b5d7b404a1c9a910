import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import nock from 'nock';
import { KICKOFF_ID, OPERATIONS } from '../support/crewOperations';
import { runCrew, type CrewNode, type EngineOptions } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { callAsTool } from '../support/toolCall';
import { startServer, type StrangeServer } from '../support/strangeServer';
import { HOLD, idOf, numbered, WAIT, WaitingCrew } from '../support/waitingCrew';

type Treat = (request: IncomingMessage, response: ServerResponse, socket: Socket) => void;

/** What a crew may do although it has been started. */
const FAULTS: Array<[what: string, treat: Treat]> = [
	['drops the connection', (_request, _response, socket) => socket.destroy()],
	['answers 500', (_request, response) => response.writeHead(500).end('Oops')],
	['never answers', () => undefined],
	['answers with something else', (_request, response) => response.end('Healthy')],
	[
		'breaks off within its answer',
		(_request, response) => {
			response.writeHead(200, { 'Content-Length': 1000 });
			response.write('{"kickoff_id":');
			setImmediate(() => response.destroy());
		},
	],
];

const RETRY = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };
const MAY_HAVE =
	/^The crew may have been (started|resumed) all the same, so this item is not sent again\. Look first at the crew’s executions, in its dashboard or on the crew server’s page\.\n/;

let server: StrangeServer | undefined;
/** How many requests came to start something. */
const posts = () => server?.requests.filter(({ method }) => method === 'POST');

/** A crew that is started by each request, and whose answers to some of them (from 0) get lost. */
async function crewThatStarts(treat: Treat, lost: number[]): Promise<void> {
	let arrived = 0;
	nock.enableNetConnect('127.0.0.1');
	server = await startServer((request, response, socket) => {
		// The question whether it keeps keys, which it does not answer.
		if (request.method === 'GET') {
			response.end('{"inputs":[]}');
			return;
		}
		const n = arrived++;
		if (lost.includes(n)) treat(request, response, socket);
		else response.end(JSON.stringify({ kickoff_id: idOf(n), status: 'resumed' }));
	});
}

afterEach(async () => {
	await server?.close();
});

async function runWithRetry(node: CrewNode, options: EngineOptions = {}) {
	const withRetry = { ...node, settings: { ...RETRY, ...node.settings } };
	const credential = { baseUrl: server!.baseUrl };
	return await inFastTime(async () => await runCrew(withRetry, { ...options, credential }));
}

const ONE_BY_ONE = { ...OPERATIONS.kickoff, options: { maxParallel: 1, n8nMeta: false } };
const [, ANSWERS_500] = FAULTS[1]!;

describe.each(FAULTS)('a crew that was started and %s', (_what, treat) => {
	it.each(['kickoff', 'resume'] as const)('gets the %s once under Retry On Fail', async (name) => {
		await crewThatStarts(treat, [0]);
		const { error } = await runWithRetry({ parameters: OPERATIONS[name] });
		expect(posts()).toHaveLength(1);
		expect(error?.item).toBe(0);
		expect(error?.description).toMatch(MAY_HAVE);
		expect(error?.description).toContain(name === 'kickoff' ? 'started' : 'resumed');
	});
});

describe('Retry On Fail, with some items lost', () => {
	it('keeps those that were started, and stops at the unclear one', async () => {
		await crewThatStarts(ANSWERS_500, [1]);
		const { error } = await runWithRetry({ parameters: ONE_BY_ONE }, { items: numbered(3) });
		expect(posts()).toHaveLength(2);
		// The error of the last try, which has sent nothing.
		expect(error).toMatchObject({ item: 1, httpCode: '500' });
	});

	it('returns the others if the node continues', async () => {
		await crewThatStarts(ANSWERS_500, [0]);
		const { json } = await runWithRetry(
			{ parameters: ONE_BY_ONE, settings: { onError: 'continueRegularOutput' } },
			{ items: numbered(3) },
		);
		expect(posts()).toHaveLength(3);
		expect(json).toEqual([
			expect.objectContaining({ error: 'The crew’s server could not answer (HTTP 500)' }),
			{ kickoff_id: idOf(1), status: 'started' },
			{ kickoff_id: idOf(2), status: 'started' },
		]);
	});

	it('sends the refused ones again, and only those', async () => {
		const crew = new WaitingCrew();
		crew.refusals.set(1, 2);
		const { json } = await runCrew(
			{ parameters: { ...WAIT, wait: 'no' }, settings: RETRY },
			{ items: numbered(3), credential: { baseUrl: crew.baseUrl } },
		);
		expect(json.map(({ kickoff_id: id }) => id)).toEqual([0, 1, 2].map(idOf));
		const sent = crew.kickoffs.map(({ inputs }) => inputs?.n).sort();
		expect(sent).toEqual([0, 1, 1, 1, 2]);
	});
});

describe('a crew that was started in an earlier try', () => {
	it('still wakes the execution that a later try has parked', async () => {
		const crew = new WaitingCrew();
		crew.refusals.set(1, 1);
		const parked = await inFastTime(
			async () =>
				await ParkedExecution.park(
					{ parameters: WAIT, settings: RETRY },
					{ items: numbered(2), credential: { baseUrl: crew.baseUrl } },
				),
		);
		crew.complete(1);
		await parked.call(crew.urls(1).crew, { body: { kickoff_id: idOf(1), result: 'Second' } });
		crew.complete(0);
		const { resumed } = await parked.call(crew.urls(0).crew, {
			body: { kickoff_id: idOf(0), result: 'First' },
		});
		expect(resumed?.json).toMatchObject([{ output: 'Text 0' }, { output: 'Text 1' }]);
		expect(crew.kickoffs).toHaveLength(3);
	});

	it('is not started again because it has failed', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [200, { status: 'error', error: 'No bees' }]);
		const { json } = await inFastTime(
			async () =>
				await runCrew(
					{ parameters: HOLD, settings: RETRY },
					{ credential: { baseUrl: crew.baseUrl } },
				),
		);
		expect(json).toEqual([{ kickoff_id: idOf(0), status: 'failed', error: 'No bees' }]);
		expect(crew.kickoffs).toHaveLength(1);
	});
});

describe.each([
	['node', 'n8n-nodes-crew.crew'],
	['AI agent’s tool', 'n8n-nodes-crew.crewTool'],
])('each round of a loop, as a %s,', (_what, type) => {
	it.each([
		['kickoff', ONE_BY_ONE],
		['resume', { ...OPERATIONS.resume, kickoffId: KICKOFF_ID }],
	])('sends its own %s', async (_name, parameters) => {
		await crewThatStarts(ANSWERS_500, []);
		const { json } = await runWithRetry({ type, parameters }, { items: [{}, {}], rounds: 3 });
		expect(json).toHaveLength(2);
		expect(posts()).toHaveLength(6);
	});

	it('is sent once, even if its answer is lost', async () => {
		await crewThatStarts(ANSWERS_500, [2]);
		const { error } = await runWithRetry(
			{ type, parameters: ONE_BY_ONE },
			{ items: [{}, {}], rounds: 3 },
		);
		expect(error?.description).toMatch(MAY_HAVE);
		expect(posts()).toHaveLength(3);
	});
});

describe('an AI agent that holds the node as a tool', () => {
	const call = async (args: IDataObject, tries: number) =>
		await callAsTool(
			{ parameters: ONE_BY_ONE },
			args,
			{ credential: { baseUrl: server!.baseUrl } },
			tries,
		);

	it('starts a crew with each call, even with the same arguments', async () => {
		await crewThatStarts(ANSWERS_500, []);
		expect(await call({ topic: 'bees' }, 1)).toMatchObject([{ kickoff_id: idOf(0) }]);
		expect(await call({ topic: 'bees' }, 1)).toMatchObject([{ kickoff_id: idOf(1) }]);
	});

	it('starts one crew with the tries of one call', async () => {
		await crewThatStarts(ANSWERS_500, [0]);
		await expect(call({ topic: 'bees' }, 3)).rejects.toThrow('could not answer (HTTP 500)');
		expect(posts()).toHaveLength(1);
	});
});
