import type { CrewResponse, Send } from '../../nodes/Crew/api/exchange';
import { endAllPollers } from '../../nodes/Crew/waiting/backgroundPoller';
import { N8N_URL } from '../support/engine';
import { stopTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { SeededRandom } from '../support/seededRandom';
import { idOf, numbered, WAIT, type StartBody } from '../support/waitingCrew';

const COUNT = 200;

let mockSend: Send;

jest.mock('../../nodes/Crew/n8n/send', () => ({
	...jest.requireActual<object>('../../nodes/Crew/n8n/send'),
	sendThroughN8n: () => mockSend,
}));

beforeEach(stopTime);
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** A crew without a network, since hundreds of requests are only counted. */
function countingCrew() {
	const urls = new Map<number, string>();
	const completed = new Set<string>();
	let asked = 0;
	const respond = (body: unknown): CrewResponse => ({ status: 200, headers: {}, body, text: '' });
	mockSend = async ({ method, path, body }) => {
		if (method === 'POST') {
			const { inputs, crewWebhookUrl } = body as StartBody;
			urls.set(inputs?.n ?? 0, crewWebhookUrl ?? '');
			return await Promise.resolve(respond({ kickoff_id: idOf(inputs?.n ?? 0) }));
		}
		asked++;
		return respond({ status: completed.has(path.split('/')[1] ?? '') ? 'completed' : 'running' });
	};
	return { urls, completed, asked: () => asked };
}

const N_LOG_N = COUNT * Math.log2(COUNT) + COUNT;

/** The sort key of the crews: the one with the smallest number ends first. */
type Order = (random: () => number) => (n: number) => number;
const anyOrder: Order = (random) => () => random();
const inputOrder: Order = () => (n) => n;

it.each([
	['in any order', 'in one process', anyOrder, () => undefined, 2 * COUNT],
	['in any order', 'with restarts of n8n between them', anyOrder, endAllPollers, N_LOG_N],
	['in the input’s order', 'with restarts of n8n between them', inputOrder, endAllPollers, N_LOG_N],
])(
	'200 crews that end %s cost few checks, %s',
	async (_order, _what, orderBy, between, most) => {
		const chance = new SeededRandom(7);
		const random = () => chance.fraction();
		jest.spyOn(Math, 'random').mockImplementation(random);
		const crew = countingCrew();
		const parked = await ParkedExecution.park({ parameters: WAIT }, { items: numbered(COUNT) });
		const keyOf = orderBy(random);
		const order = numbered(COUNT)
			.map(({ n }) => ({ n, key: keyOf(n) }))
			.sort((a, b) => a.key - b.key);
		let last;
		for (const { n } of order) {
			crew.completed.add(idOf(n));
			last = await parked.call(crew.urls.get(n) ?? N8N_URL, { body: { kickoff_id: idOf(n) } });
			between();
		}
		expect(last?.resumed?.json).toEqual(
			numbered(COUNT).map(({ n }) => ({ kickoff_id: idOf(n), status: 'completed' })),
		);
		expect(parked.ends).toBe(1);
		expect(crew.asked()).toBeLessThanOrEqual(most);
	},
	60_000,
);
