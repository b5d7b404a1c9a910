import type { IncomingMessage, ServerResponse } from 'node:http';
import nock from 'nock';
import { startCrewServer } from '../../crew-server/src';
import { OPERATIONS } from '../support/crewOperations';
import { runCrew } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { startServer, type StrangeServer } from '../support/strangeServer';
import { idOf, numbered } from '../support/waitingCrew';

/** How an attempt at a kickoff ends for the node. */
type End = 'answered' | 'cut off' | 'never' | 401 | 429 | 502 | 503 | 504;

const KEPT = { 'Idempotency-Key-Kept': '86400' };
const RETRY = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };

/** A crew that starts once for each key, even if nobody gets the answer. */
class KeyedCrew {
	/** By key. */
	readonly started = new Map<unknown, string>();
	kickoffs: IncomingMessage[] = [];
	private server: StrangeServer | undefined;

	constructor(
		private readonly ends: End[],
		private readonly headers: Record<string, string> = KEPT,
		private readonly inputsStatuses: number[] = [],
	) {}

	async listen(): Promise<string> {
		nock.enableNetConnect('127.0.0.1');
		this.server = await startServer((request, response) => {
			if (request.method === 'POST') this.kickOff(request, response);
			else
				response.writeHead(this.inputsStatuses.shift() ?? 200, this.headers).end('{"inputs":[]}');
		});
		return this.server.baseUrl;
	}

	async close(): Promise<void> {
		await this.server?.close();
	}

	private kickOff(request: IncomingMessage, response: ServerResponse): void {
		this.kickoffs.push(request);
		const end = this.ends.shift() ?? 'answered';
		if (end === 401 || end === 429) {
			response.writeHead(end).end('{}');
			return;
		}
		const key = request.headers['idempotency-key'];
		const id = this.started.get(key) ?? idOf(this.started.size);
		this.started.set(key, id);
		if (end === 'answered') response.end(JSON.stringify({ kickoff_id: id }));
		else if (end === 'cut off') request.socket.resetAndDestroy();
		else if (end !== 'never') response.writeHead(end).end('<html>Bad gateway</html>');
	}
}

let crew: KeyedCrew;
const run = async (given: KeyedCrew, items = 1) => {
	crew = given;
	const baseUrl = await crew.listen();
	const parameters = { ...OPERATIONS.kickoff, options: { maxParallel: 1, n8nMeta: false } };
	return await inFastTime(
		async () =>
			await runCrew(
				{ parameters, settings: RETRY },
				{ items: numbered(items), credential: { baseUrl } },
			),
	);
};

beforeEach(() => {
	crew = new KeyedCrew([]);
});
afterEach(async () => {
	await crew.close();
});

const UNANSWERED: End[] = ['cut off', 502, 503, 504];

describe('a kickoff that ends this way', () => {
	it.each([...UNANSWERED, 'never'] as const)(
		'%s: comes again with the same key to a crew that keeps it, which is started once',
		async (end) => {
			const { json } = await run(new KeyedCrew([end]));
			expect(json).toEqual([{ kickoff_id: idOf(0), status: 'started' }]);
			expect(crew.kickoffs).toHaveLength(2);
			expect(crew.started.size).toBe(1);
		},
	);

	it.each(UNANSWERED)('%s: is not repeated if the crew says nothing about keys', async (end) => {
		const { error } = await run(new KeyedCrew([end], {}));
		expect(error?.description).toContain('The crew may have been started all the same');
		expect(crew.kickoffs).toHaveLength(1);
	});
});

it('has a key for each item', async () => {
	const { json } = await run(new KeyedCrew(['cut off', 'answered', 502]), 3);
	expect(json.map(({ kickoff_id: id }) => id)).toEqual([0, 1, 2].map(idOf));
	expect(crew.kickoffs).toHaveLength(5);
});

it('asks again whether keys are kept while a proxy has no server', async () => {
	const { json } = await run(new KeyedCrew([502], KEPT, [502, 502]));
	expect(json).toEqual([{ kickoff_id: idOf(0), status: 'started' }]);
});

it('does not send it again if it cannot ask', async () => {
	const { error } = await run(new KeyedCrew([502], KEPT, [502, 502, 502]));
	expect(error?.description).toContain('The crew may have been started all the same');
	expect(crew.kickoffs).toHaveLength(1);
});

it.each([
	['refused', [502, 401]],
	['lost too', ['cut off', 504, 503]],
] as Array<[string, End[]]>)(
	'says what may have happened if the repeat is %s, also under Retry On Fail',
	async (_what, ends) => {
		const tries = ends.length;
		const { error } = await run(new KeyedCrew(ends));
		expect(error?.description).toContain('The crew may have been started all the same');
		expect(crew.kickoffs).toHaveLength(tries);
		expect(crew.started.size).toBe(1);
	},
);

it('starts one execution for each item at a crew server whose answers get lost', async () => {
	nock.enableNetConnect('127.0.0.1');
	const faults = ['drop-after@kickoff+2*2', 'half-body@kickoff+6*1', '502@kickoff+9*1'];
	const server = await startCrewServer({ faults });
	const parameters = { ...OPERATIONS.kickoff, options: { maxParallel: 2, n8nMeta: false } };
	const items = numbered(12).map(({ n }) => ({ inputs: { topic: `Bees ${String(n)}` } }));
	const credential = { baseUrl: server.url, accessToken: server.accessToken };
	const { json } = await inFastTime(
		async () => await runCrew({ parameters }, { items, credential }),
	);
	const ids = (await server.executions()).map(({ kickoffId }) => kickoffId);
	await server.close();
	expect(server.started()).toBe(12);
	expect(json.map(({ kickoff_id: id }) => id).sort()).toEqual(ids.sort());
});
