import timersPromises from 'node:timers/promises';

/** How many milliseconds pass in a test for each real one. */
const SPEED = 50;
/** For waits of minutes, in which a quarter of a second does not matter. */
export const VERY_FAST = 250;

/** Functions that sockets and promises need. */
const REAL = ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] satisfies Array<
	keyof typeof globalThis | 'nextTick'
>;

/**
 * Lets no pause end and no time pass, for tests that wait for nothing: timers that n8n leaves behind never fire. A
 * pause of zero still ends at once.
 */
export function stopTime(): void {
	jest.useFakeTimers({ doNotFake: REAL });
	const stopped = globalThis.setTimeout;
	const orAtOnce = (callback: () => void, milliseconds?: number) =>
		milliseconds === 0 ? setImmediate(callback) : stopped(callback, milliseconds);
	Object.assign(globalThis, { setTimeout: orAtOnce });
}

/**
 * Runs `work` with a fake clock only: time passes `speed` times as fast, so that pauses and time limits of minutes
 * take a second. Sockets, promises and `setImmediate` stay real.
 */
export async function inFastTime<T>(work: () => Promise<T>, speed = SPEED): Promise<T> {
	const realTimeout = setTimeout;
	jest.useFakeTimers({ doNotFake: REAL });
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		const controller = new AbortController();
		setTimeout(() => {
			controller.abort();
		}, milliseconds);
		return controller.signal;
	});
	jest.spyOn(timersPromises, 'setTimeout').mockImplementation(sleepWithFakeClock);
	try {
		let isOver = false;
		const running = work().finally(() => {
			isOver = true;
		});
		// A rejection is for the caller: the promise is awaited below.
		running.catch(() => undefined);
		// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by the callback above
		while (!isOver) {
			await new Promise((resolve) => realTimeout(resolve, 1));
			await jest.advanceTimersByTimeAsync(speed);
		}
		return await running;
	} finally {
		jest.restoreAllMocks();
		jest.useRealTimers();
	}
}

/** Like `setTimeout` of `node:timers/promises`, which jest does not fake. */
async function sleepWithFakeClock<T>(
	milliseconds?: number,
	value?: T,
	{ signal }: { signal?: AbortSignal } = {},
): Promise<T> {
	signal?.throwIfAborted();
	return await new Promise<T>((resolve, reject) => {
		const abort = () => {
			clearTimeout(timer);
			reject(signal?.reason as Error);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', abort);
			resolve(value as T);
		}, milliseconds);
		signal?.addEventListener('abort', abort, { once: true });
	});
}
