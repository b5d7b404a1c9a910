import type { IWebhookFunctions } from 'n8n-workflow';
import { lookLater } from '../../../nodes/Crew/waiting/lookLater';
import type { ParkedWait } from '../../../nodes/Crew/waiting/park';
import { recall } from '../../../nodes/Crew/waiting/waitMemory';

const QUIET = 10_000;

/** An n8n that says of each look that crews are under way, or that it could not tell. */
function parkedExecution(waitId: string, unsure = false) {
	const looks: number[] = [];
	const context = {
		evaluateExpression: () => 'http://n8n.test/webhook-waiting/1?signature=abc',
		helpers: {
			httpRequest: async () => {
				looks.push(Date.now());
				return await Promise.resolve({ statusCode: 200, body: { ended: false, unsure } });
			},
		},
		logger: { warn: () => undefined },
	} as unknown as IWebhookFunctions;
	const memory = recall(waitId);
	const callback = () => {
		lookLater(context, { waitId } as ParkedWait, memory, QUIET);
	};
	return { looks, memory, callback };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('looks once when no callback has come for a while', async () => {
	const { looks, callback } = parkedExecution('quiet');
	for (let n = 0; n < 100; n++) {
		callback();
		await jest.advanceTimersByTimeAsync(1_000);
	}
	expect(looks).toEqual([]);
	const last = Date.now() - 1_000;
	await jest.advanceTimersByTimeAsync(600_000);
	expect(looks).toHaveLength(1);
	expect(looks[0]! - last).toBeGreaterThanOrEqual(QUIET);
});

it('looks again after a callback that came while it looked', async () => {
	const { looks, callback } = parkedExecution('again');
	callback();
	await jest.advanceTimersByTimeAsync(QUIET + 1_000);
	callback();
	await jest.advanceTimersByTimeAsync(600_000);
	expect(looks).toHaveLength(2);
});

it('looks no more once the wait has ended', async () => {
	const { looks, memory, callback } = parkedExecution('over');
	callback();
	memory.endingUntil = Date.now() + 30_000;
	await jest.advanceTimersByTimeAsync(20_000);
	expect(looks).toEqual([]);
});

it('looks a few times where it cannot tell', async () => {
	const { looks, callback } = parkedExecution('unsure', true);
	callback();
	await jest.advanceTimersByTimeAsync(600_000);
	expect(looks).toHaveLength(5);
});
