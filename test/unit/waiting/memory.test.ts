import { forget, recall, remember, takeTurn, type Told } from '../../../nodes/Crew/waiting/memory';
import type { Execution } from '../../../nodes/Crew/model/execution';

let waits = 0;
const newWait = () => `wait-${++waits}`;

const question: Execution = { status: 'pending_human_input', task_id: 'write' };
const end: Execution = { status: 'completed', output: 'Bees' };
const failed: Execution = { status: 'failed', error: 'No' };

const told = (execution: Execution): Told => ({ execution, isHint: false });
const hinted = (execution: Execution): Told => ({ execution, isHint: true });

describe('what several callbacks tell', () => {
	it.each<[string, Told[], Told]>([
		['the first', [told(end)], told(end)],
		['more of the same', [told({ status: 'completed' }), told(end)], told(end)],
		['less of the same', [told(end), told({ status: 'completed' })], told(end)],
		['an end behind a question', [told(question), told(end)], told(end)],
		['a late question behind the end', [told(end), told(question)], told(end)],
		['another end', [told(end), told(failed)], told(end)],
		['an end behind a hint', [hinted(failed), told(end)], told(end)],
		['a hint behind an end', [told(end), hinted(failed)], told(end)],
		['the same as a hint', [hinted(failed), told(failed)], told(failed)],
	])('%s', (_what, news, expected) => {
		const memory = recall(newWait());
		for (const one of news) remember(memory, 0, one);
		expect(memory.told.get(0)).toEqual(expected);
	});
});

describe('the memory of a wait', () => {
	it('is the same as long as the wait is not over', () => {
		const waitId = newWait();
		expect(recall(waitId)).toBe(recall(waitId));
		forget(waitId);
		expect(recall(waitId).told.size).toBe(0);
	});

	it('keeps nothing of an ended wait but until when no call ends it again', () => {
		const waitId = newWait();
		const memory = recall(waitId);
		remember(memory, 0, told(end));
		const until = Date.now() + 30_000;
		forget(waitId, until);
		forget(waitId);
		expect(recall(waitId)).toBe(memory);
		expect(memory).toMatchObject({ size: 0, endingUntil: until });
		expect(memory.told.size).toBe(0);
	});

	it('keeps nothing of what a call came to', async () => {
		const memory = recall(newWait());
		await expect(takeTurn(memory, async () => await Promise.resolve('items'))).resolves.toBe(
			'items',
		);
		await expect(memory.turn).resolves.toBeUndefined();
		await expect(
			takeTurn(memory, async () => await Promise.reject(new Error('No'))),
		).rejects.toThrow('No');
		await expect(memory.turn).resolves.toBeUndefined();
	});

	it('is limited for all waits together: of more it keeps the status only', () => {
		const output = 'x'.repeat(10 * 1024 * 1024);
		const first = recall(newWait());
		const second = recall(newWait());
		remember(first, 0, told({ status: 'completed', output }));
		remember(second, 0, told({ status: 'completed', output }));
		expect(first.told.get(0)?.execution.output).toBe(output);
		expect(second.told.get(0)?.execution).toEqual({ status: 'completed' });
	});

	it('counts once what is told several times', () => {
		const waitId = newWait();
		const memory = recall(waitId);
		const large = { status: 'completed', output: 'x'.repeat(2.5 * 1024 * 1024) } as const;
		for (let times = 0; times < 3; times++) remember(memory, 0, told(large));
		expect(memory.told.get(0)?.execution.output).toHaveLength(large.output.length);
		expect(memory.size).toBe(JSON.stringify(large).length);
		forget(waitId);
	});
});
