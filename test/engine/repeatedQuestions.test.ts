import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KICKOFF_ID } from '../support/crewOperations';
import { callTrigger } from '../support/triggerCall';

const QUESTION = { kickoff_id: KICKOFF_ID, task_id: 'write', task_output: 'A draft', meta: {} };
const OBJECT = { callback: 'human_input', events: 'crew.human_input' };
/** The URL from the other field. */
const URL_FORM = { ...OBJECT, form: 'url' };
/** A URL that someone entered manually. */
const OWN = { callback: 'human_input' };

type Query = Record<string, string>;

/** Sends questions to one trigger, one after the other, and returns how many runs each started. */
async function tell(...calls: Array<[query: Query, body?: unknown, after?: number]>) {
	const triggerId = randomUUID();
	const now = Date.now();
	const runs: number[] = [];
	for (const [query, body = QUESTION, after = 0] of calls) {
		jest.spyOn(Date, 'now').mockReturnValue(now + after);
		const { items, status } = await callTrigger({ body, query, triggerId });
		expect(status).toBe(200);
		runs.push(items?.length ?? 0);
	}
	return runs;
}

afterEach(() => jest.restoreAllMocks());

describe('a deployment that sends each question to both URLs', () => {
	it.each([
		['the object first', OBJECT, URL_FORM],
		['the bare one first', URL_FORM, OBJECT],
	])('starts one run: %s', async (_what, first, second) => {
		expect(await tell([first], [second])).toEqual([1, 0]);
	});

	it('starts one run if the two have different shapes, and name the task differently', async () => {
		const { kickoff_id: execution_id, task_output: output } = QUESTION;
		const other = { execution_id, task_id: 'a-task-id', task_name: 'write', output };
		expect(await tell([OBJECT, other], [URL_FORM])).toEqual([1, 0]);
	});

	it('starts one run for each question', async () => {
		const other = { ...QUESTION, task_output: 'A shorter draft' };
		const calls = [[OBJECT], [OBJECT, other], [URL_FORM], [URL_FORM, other]] as const;
		expect(await tell(...calls.map(([query, body]): [Query, unknown] => [query, body]))).toEqual([
			...[1, 1, 0, 0],
		]);
	});

	it('asks again if the task has the same output after it was rejected', async () => {
		expect(await tell([OBJECT], [URL_FORM], [OBJECT], [URL_FORM])).toEqual([1, 0, 1, 0]);
	});

	it('starts one run at URLs that someone entered', async () => {
		expect(await tell([OWN], [OWN], [OWN, { ...QUESTION, task_id: 'b' }])).toEqual([1, 0, 1]);
	});

	it('starts a run with the same content minutes later', async () => {
		expect(await tell([OWN], [OWN, QUESTION, 119_000], [OWN, QUESTION, 121_000])).toEqual([
			...[1, 0, 1],
		]);
	});

	it('gives both the same delivery ID', async () => {
		const { kickoff_id: execution_id, task_id, task_output: output } = QUESTION;
		const ids = [];
		for (const [query, body] of [
			[OBJECT, { execution_id, task_id, task_name: 'write', output }],
			[URL_FORM, QUESTION],
		] as const) {
			const { items } = await callTrigger({ body, query });
			ids.push(items?.[0]?.delivery_id);
		}
		expect(ids[0]).toMatch(/^[0-9a-f]{64}$/);
		expect(ids[1]).toBe(ids[0]);
	});
});

describe('nothing else is a repeat', () => {
	it('a deployment that asks twice at one of the URLs', async () => {
		expect(await tell([OBJECT], [OBJECT])).toEqual([1, 1]);
		expect(await tell([URL_FORM], [URL_FORM])).toEqual([1, 1]);
	});

	it('a step with the same content', async () => {
		const step = { thought: 'I search', tool: 'search', kickoff_id: KICKOFF_ID };
		expect(await tell([{ callback: 'step' }, step], [{ callback: 'step' }, step])).toEqual([1, 1]);
	});

	it('a question to another trigger', async () => {
		expect([await tell([OWN]), await tell([OWN])]).toEqual([[1], [1]]);
	});

	it('a callback that is tried out in the editor', async () => {
		const call = { body: QUESTION, query: OWN, triggerId: randomUUID(), mode: 'manual' as const };
		expect((await callTrigger(call)).items).toHaveLength(1);
		expect((await callTrigger(call)).items).toHaveLength(1);
	});

	it('a question that was forgotten among a thousand others', async () => {
		const triggerId = randomUUID();
		const ask = async (task_id: string) =>
			await callTrigger({ body: { ...QUESTION, task_id }, query: OWN, triggerId });
		for (let n = 0; n <= 1_000; n++) await ask(`task-${n}`);
		expect((await ask('task-1000')).items).toBeUndefined();
		expect((await ask('task-0')).items).toHaveLength(1);
	}, 60_000);
});

it('however long the IDs in questions are, n8n’s memory does not fill up with them', async () => {
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	const memory = () => {
		collectGarbage();
		return process.memoryUsage().heapUsed / 1_000_000;
	};
	await tell([OBJECT]);
	const before = memory();
	for (let n = 0; n < 20; n++) {
		await tell([OBJECT, { ...QUESTION, kickoff_id: `${n}`.repeat(2_000_000) }]);
	}
	expect(memory() - before).toBeLessThan(10);
});
