import { Gate, gateOf, statusesAtOnce } from '../../../nodes/Crew/api/gate';
import type { Sent } from '../../../nodes/Crew/api/parallelism';

const WELL = { kind: 'well' } as const;

/** Lets what can happen at once happen. */
const settle = async () => {
	await new Promise(setImmediate);
};

/** A gate that lets one through at a time, and the names of those that it let through. */
function oneByOne() {
	const gate = new Gate(1);
	const through: string[] = [];
	const enter = async (lane: object, name: string, signal?: AbortSignal) => {
		const sent = await gate.enter(lane, signal);
		through.push(name);
		return sent;
	};
	return { gate, through, enter };
}

describe('a gate', () => {
	it('lets as many through as were given, and another one for each that is answered', async () => {
		const gate = new Gate(3);
		const lane = {};
		const through: Sent[] = [];
		for (let request = 0; request < 5; request++) {
			void gate.enter(lane).then((sent) => through.push(sent));
		}
		await settle();
		expect(through).toHaveLength(3);
		gate.exit(through[0]!, WELL);
		await settle();
		expect(through).toHaveLength(4);
		expect(gate.tryToEnter()).toBeUndefined();
	});

	it('has lanes take turns, so that one with many requests does not keep another waiting', async () => {
		const { gate, through, enter } = oneByOne();
		const [many, few] = [{}, {}];
		const first = gate.tryToEnter()!;
		for (const name of ['a1', 'a2', 'a3', 'a4']) void enter(many, name).then(next);
		for (const name of ['b1', 'b2']) void enter(few, name).then(next);
		function next(sent: Sent) {
			gate.exit(sent, WELL);
		}
		gate.exit(first, WELL);
		await settle();
		expect(through).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
		expect(gate.isIdle).toBe(true);
	});

	it('sends away what waits in one lane, and nothing else', async () => {
		const { gate, through, enter } = oneByOne();
		const [left, other] = [{}, {}];
		const first = gate.tryToEnter()!;
		const away = [enter(left, 'left 1'), enter(left, 'left 2')];
		void enter(other, 'other');
		gate.sendAway(left, new Error('Cancelled'));
		gate.exit(first, WELL);
		for (const one of away) await expect(one).rejects.toThrow('Cancelled');
		await settle();
		expect(through).toEqual(['other']);
	});

	it('forgets what does not wait any longer', async () => {
		const { gate, through, enter } = oneByOne();
		const lane = {};
		const first = gate.tryToEnter()!;
		const impatient = new AbortController();
		void enter(lane, 'impatient', impatient.signal);
		void enter(lane, 'patient');
		impatient.abort();
		gate.exit(first, WELL);
		await settle();
		expect(through).toEqual(['patient']);
	});

	it('rests where the crew refuses all, then lets one through to see', async () => {
		jest.useFakeTimers({ doNotFake: ['setImmediate'] });
		const gate = new Gate(4);
		const [lane, through] = [{}, [] as Sent[]];
		const answered = gate.tryToEnter()!;
		const refused = gate.tryToEnter()!;
		gate.exit(answered, WELL);
		gate.exit(refused, { kind: 'refused', retryAfter: 7_000, isSentAgain: true });
		for (let request = 0; request < 3; request++) {
			void gate.enter(lane).then((sent) => through.push(sent));
		}
		await jest.advanceTimersByTimeAsync(6_999);
		expect(through).toHaveLength(0);
		await jest.advanceTimersByTimeAsync(1);
		expect(through).toHaveLength(1);
		gate.exit(through[0]!, WELL);
		await settle();
		expect(through).toHaveLength(3);
		jest.useRealTimers();
	});
});

describe('gates', () => {
	const BASE_URL = 'https://gates.example.com';

	it('are one for each crew, method and given number', () => {
		const gate = gateOf(BASE_URL, 'POST');
		expect(gateOf(BASE_URL, 'POST')).toBe(gate);
		const others = [
			gateOf(BASE_URL, 'GET'),
			gateOf(BASE_URL, 'POST', 10),
			gateOf(`${BASE_URL}/other`, 'POST'),
		];
		for (const other of others) expect(other).not.toBe(gate);
	});

	it('are kept while requests are under way, however many crews there are', () => {
		const busy = gateOf(BASE_URL, 'POST');
		const sent = busy.tryToEnter()!;
		for (let crew = 0; crew < 2_000; crew++) gateOf(`https://${crew}.example.com`, 'GET');
		expect(gateOf(BASE_URL, 'POST')).toBe(busy);
		busy.exit(sent, WELL);
	});

	it.each([
		['10 at first', 0, 10],
		['as many as were given', 3, 3],
	])('ask for statuses: %s', (_what, given, expected) => {
		expect(statusesAtOnce(BASE_URL, given)).toBe(expected);
	});
});
