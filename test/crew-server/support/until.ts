import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds, and returns its value. */
export async function until<Value>(
	condition: () => Value | Promise<Value>,
	within = 10_000,
): Promise<NonNullable<Exclude<Value, false>>> {
	const end = Date.now() + within;
	for (;;) {
		const value = await condition();
		if (value) return value as NonNullable<Exclude<Value, false>>;
		if (Date.now() > end) throw new Error(`Not so within ${within} ms: ${condition.toString()}`);
		await sleep(5);
	}
}
