import { sleep, type IDataObject } from 'n8n-workflow';
import nock from 'nock';
import { N8N_URL } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { ParkedExecution, type ResumeAnswer } from '../support/parkedExecution';
import { idOf, WAIT_FOR_CALLBACK, WaitingCrew } from '../support/waitingCrew';

/** What n8n answers to the first calls of its resume URL, before it has stored the execution. */
type Gap = ReadonlyArray<number | 'ECONNREFUSED'>;

/** Parks an execution and lets n8n answer at its resume URL until it goes on, or 17 seconds have passed. */
async function parkAndWait(
	crew: WaitingCrew,
	gap: Gap,
	meanwhile: () => void,
	options: IDataObject = { lookTime: 0 },
) {
	let parked: ParkedExecution | undefined;
	let parkedAt = 0;
	const calls: string[] = [];
	const answers: ResumeAnswer[] = [];
	for (const status of gap) {
		const request = nock(N8N_URL).post(/^\/webhook-waiting\//, () => Boolean(calls.push('early')));
		if (typeof status === 'number') request.reply(status, { code: 0, message: 'Not now' });
		else request.replyWithError(Object.assign(new Error(status), { code: status }));
	}
	nock(N8N_URL)
		.persist()
		.post(/^\/webhook-waiting\//)
		.reply(async (path, body) => {
			calls.push(new URL(path, N8N_URL).searchParams.get('callback') ?? '');
			const answer = await parked!.call(N8N_URL + path, { body });
			answers.push(answer);
			return [answer.status, answer.answer as nock.Body];
		});
	await inFastTime(async () => {
		parked = await ParkedExecution.park(
			{ parameters: { ...WAIT_FOR_CALLBACK, options: { n8nMeta: false, ...options } } },
			{ credential: { baseUrl: crew.baseUrl } },
		);
		const begun = Date.now();
		parkedAt = begun;
		meanwhile();
		const isOver = () => parked!.ends > 0 || Date.now() - begun > 17_000;
		while (!isOver()) await sleep(500);
	});
	return { calls, parkedAt, resumed: answers.find(({ resumed }) => resumed)?.resumed };
}

describe('a crew that ended while its execution was being parked', () => {
	it.each<[string, Gap]>([
		['at once', []],
		['after n8n has said twice that the execution is still running', [409, 409]],
		['after n8n fell over the running execution', [500]],
		['after n8n was overloaded', [503, 502, 429]],
		['after a connection was refused', ['ECONNREFUSED']],
	])('is noticed without its callback, %s', async (_what, gap) => {
		const crew = new WaitingCrew();
		const { calls, resumed } = await parkAndWait(crew, gap, () => {
			crew.complete(0);
		});
		expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), status: 'completed', output: 'Text 0' }]);
		expect(calls).toEqual([...gap.map(() => 'early'), 'look']);
	});

	it('is noticed when its status can be read again', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [503]);
		const { resumed } = await parkAndWait(crew, [], () => {
			setTimeout(() => {
				crew.complete(0);
			}, 3_000);
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed' }]);
	});
});

describe('the look after parking', () => {
	it('is one call where the crew is still under way', async () => {
		const crew = new WaitingCrew();
		const { calls, resumed } = await parkAndWait(crew, [], () => undefined);
		expect(calls).toEqual(['look']);
		expect(crew.asked).toEqual([idOf(0)]);
		expect(resumed).toBeUndefined();
	});

	it.each<[string, IDataObject, number]>([
		['3 seconds where nothing is chosen', {}, 3_000],
		['as long as chosen', { lookTime: 8 }, 8_000],
		['no sooner than n8n can have stored the execution', { lookTime: 0 }, 500],
	])('comes so long after the kickoff: %s', async (_when, options, milliseconds) => {
		const crew = new WaitingCrew();
		const { parkedAt } = await parkAndWait(crew, [], () => undefined, options);
		const after = crew.askedAt[0]! - parkedAt;
		expect(after).toBeGreaterThan(milliseconds - 200);
		expect(after).toBeLessThan(milliseconds + 2_000);
	});

	it('makes three requests in all, with the kickoff and the question at the end', async () => {
		const crew = new WaitingCrew();
		const end = () => {
			setTimeout(() => {
				crew.complete(0);
				void fetch(crew.urls().crew, { method: 'POST', body: '{"result":"Bees"}' });
			}, 12_000);
		};
		const { calls, resumed } = await parkAndWait(crew, [], end, {});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
		expect(calls).toEqual(['look', 'crew']);
		expect(crew.kickoffs).toHaveLength(1);
		expect(crew.asked).toHaveLength(2);
	});

	it('is tried five times at most', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [503]);
		const { calls } = await parkAndWait(crew, [], () => undefined);
		expect(calls).toEqual(['look', 'look', 'look', 'look', 'look']);
	});
});
