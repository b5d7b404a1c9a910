import { ConcurrencyLimiter } from '../../../nodes/Crew/pacing/concurrencyLimiter';
import type { Slot } from '../../../nodes/Crew/pacing/cubicLimit';
import { RequestQueue, sharedQueue } from '../../../nodes/Crew/pacing/requestQueue';

const SUCCESS = { kind: 'success' } as const;
const REFUSED = { kind: 'refused', isSentAgain: true, retryAfter: 7_000 } as const;

/** Waits until everything that can happen at once has happened. */
const settle = async () => {
	await new Promise(setImmediate);
};

/** A queue that lets through one request at a time, and their names. */
async function oneByOne() {
	const queue = new RequestQueue(new ConcurrencyLimiter(1));
	const through: string[] = [];
	const acquire = async (sender: object, name: string, patience?: number) => {
		const slot = await queue.acquire(sender, patience, () => new Error('Too late'));
		through.push(name);
		return slot;
	};
	const first = await queue.acquire({});
	return { queue, through, acquire, first };
}

/** Makes this many requests, and returns those that were let through. */
function send(queue: RequestQueue, count: number): Slot[] {
	const through: Slot[] = [];
	const sender = {};
	for (let request = 0; request < count; request++) {
		void queue.acquire(sender).then((slot) => through.push(slot));
	}
	return through;
}

describe('a queue', () => {
	afterEach(() => {
		jest.useRealTimers();
	});

	it('lets through the given number, and another one after each answer', async () => {
		const queue = new RequestQueue(new ConcurrencyLimiter(3));
		const through = send(queue, 5);
		await settle();
		expect(through).toHaveLength(3);
		queue.release(through[0]!, SUCCESS);
		await settle();
		expect(through).toHaveLength(4);
	});

	it('lets senders take turns, so that one with many requests does not keep another waiting', async () => {
		const { queue, through, acquire, first } = await oneByOne();
		const [many, few] = [{}, {}];
		const next = (slot: Slot) => {
			queue.release(slot, SUCCESS);
		};
		for (const name of ['a1', 'a2', 'a3', 'a4']) void acquire(many, name).then(next);
		for (const name of ['b1', 'b2']) void acquire(few, name).then(next);
		queue.release(first, SUCCESS);
		await settle();
		expect(through).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
		expect(queue.isIdle).toBe(true);
	});

	it('cancels the waiting requests of one sender, and nothing else', async () => {
		const { queue, through, acquire, first } = await oneByOne();
		const [left, other] = [{}, {}];
		const cancelled = [acquire(left, 'left 1'), acquire(left, 'left 2')];
		void acquire(other, 'other');
		queue.cancel(left, new Error('Cancelled'));
		queue.release(first, SUCCESS);
		for (const one of cancelled) await expect(one).rejects.toThrow('Cancelled');
		await settle();
		expect(through).toEqual(['other']);
	});

	it('drops a request that has waited for as long as it may', async () => {
		const { queue, through, acquire, first } = await oneByOne();
		const sender = {};
		const impatient = acquire(sender, 'impatient', 10);
		void acquire(sender, 'patient');
		await expect(impatient).rejects.toThrow('Too late');
		queue.release(first, SUCCESS);
		await settle();
		expect(through).toEqual(['patient']);
	});

	it('pauses if the crew refuses everything, then lets one through as a test', async () => {
		jest.useFakeTimers({ doNotFake: ['setImmediate'] });
		const queue = new RequestQueue(new ConcurrencyLimiter(4));
		const [answered, refused] = [await queue.acquire({}), await queue.acquire({})];
		queue.release(answered, SUCCESS);
		queue.release(refused, REFUSED);
		const through = send(queue, 3);
		await jest.advanceTimersByTimeAsync(6_999);
		expect(through).toHaveLength(0);
		await jest.advanceTimersByTimeAsync(1);
		expect(through).toHaveLength(1);
		queue.release(through[0]!, SUCCESS);
		await settle();
		expect(through).toHaveLength(3);
	});

	it('does not pause longer if the clock is set back meanwhile', async () => {
		jest.useFakeTimers({ doNotFake: ['setImmediate'] });
		const queue = new RequestQueue(new ConcurrencyLimiter(4));
		queue.release(await queue.acquire({}), REFUSED);
		jest.setSystemTime(Date.now() - 3_600_000);
		const through = send(queue, 3);
		await jest.advanceTimersByTimeAsync(7_000);
		expect(through).toHaveLength(1);
	});
});

describe('queues', () => {
	const BASE_URL = 'https://queues.example.com';

	it('are separate for each crew and method', () => {
		const queue = sharedQueue(BASE_URL, 'POST');
		expect(sharedQueue(BASE_URL, 'POST')).toBe(queue);
		expect(sharedQueue(BASE_URL, 'GET')).not.toBe(queue);
		expect(sharedQueue(`${BASE_URL}/other`, 'POST')).not.toBe(queue);
	});

	it('are separate for each crew and given number', () => {
		const queue = sharedQueue(BASE_URL, 'POST', 3);
		expect(sharedQueue(BASE_URL, 'GET', 3)).toBe(queue);
		expect(sharedQueue(BASE_URL, 'POST', 4)).not.toBe(queue);
		expect(sharedQueue(BASE_URL, 'POST')).not.toBe(queue);
	});

	it('are kept while requests are running, however many crews there are', async () => {
		const busy = sharedQueue(BASE_URL, 'POST');
		await busy.acquire({});
		for (let crew = 0; crew < 2_000; crew++) sharedQueue(`https://${crew}.example.com`, 'GET');
		expect(sharedQueue(BASE_URL, 'POST')).toBe(busy);
	});

	it.each([
		['10 at first', 0, 10],
		['the given number', 3, 3],
	])('let through %s', (_what, given, expected) => {
		expect(sharedQueue(BASE_URL, 'GET', given).limiter.limit).toBe(expected);
	});
});
