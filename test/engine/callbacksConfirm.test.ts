import nock from 'nock';
import { newBaseUrl } from '../support/crewMock';
import { KICKOFF_ID } from '../support/crewOperations';
import type { CallbackKind } from '../../nodes/Crew/model/callback';
import { tokenFor } from '../../nodes/Crew/callbacks/token';
import { N8N_URL, WEBHOOK_ID, type CREDENTIAL } from '../support/engine';
import { callTrigger } from '../support/triggerCall';

const confirmWithCrew = { events: [], options: { confirmWithCrew: true } };

/** Sends a callback to a trigger that asks the crew, which gives this answer for each execution. */
async function callConfirmed(
	body: unknown,
	reply: () => readonly [number, unknown?],
	baseUrl = newBaseUrl(),
) {
	const asked: string[] = [];
	nock(baseUrl)
		.persist()
		.get(/status/)
		.reply((path) => {
			asked.push(path);
			const [status, answer] = reply();
			return [status, answer as nock.Body];
		});
	const outcome = await callTrigger({ body, parameters: confirmWithCrew, credential: { baseUrl } });
	return { ...outcome, asked, baseUrl };
}

const BODY = { kickoff_id: KICKOFF_ID, result: 'Bees' };

describe('Verify Execution', () => {
	it('starts the workflow if the crew knows the execution', async () => {
		const { status, items, asked } = await callConfirmed(BODY, () => [200, { status: 'running' }]);
		expect(status).toBe(200);
		expect(items).toHaveLength(1);
		expect(asked).toEqual([`/${KICKOFF_ID}/status`]);
	});

	it.each<[string, readonly [number, unknown?], number]>([
		['404', [404, { detail: 'Not found' }], 10_000],
		['400', [400, { detail: 'No such thing' }], 0],
		['422', [422], 0],
		['the word for it', [200, { state: 'NOT FOUND' }], 10_000],
	])('answers 403 if the crew does not know it: %s', async (_what, reply, lag) => {
		const { baseUrl, status: first } = await callConfirmed(BODY, () => reply);
		// It may have been kicked off a moment ago, with a status that lags behind.
		expect(first).toBe(lag > 0 ? 503 : 403);
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + lag);
		const { status, answer, items } = await callConfirmed(BODY, () => reply, baseUrl);
		jest.restoreAllMocks();
		expect(status).toBe(403);
		expect(answer).toEqual({ message: 'The crew has no such execution' });
		expect(items).toBeUndefined();
	});

	it.each<[string, readonly [number, unknown?]]>([
		['breaks', [500]],
		['is overloaded', [429]],
		['refuses the access token', [401]],
		['leads elsewhere', [302]],
		['is away, and its proxy answers', [404, '404 page not found']],
	])('answers 503 if the crew %s, so that the sender can repeat', async (_what, reply) => {
		const { baseUrl, status: first } = await callConfirmed(BODY, () => reply);
		expect(first).toBe(503);
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_000);
		const { status, items } = await callConfirmed(BODY, () => reply, baseUrl);
		jest.restoreAllMocks();
		expect(status).toBe(503);
		expect(items).toBeUndefined();
	});

	it.each([
		['none', { result: 'Bees' }],
		['one that leads to another path', { result: 'Bees', kickoff_id: '../inputs' }],
		['one and none', [BODY, { result: 'Ants' }]],
	])('answers 403 without asking if the ID is %s', async (_what, body) => {
		const { status, asked } = await callConfirmed(body, () => [200, { status: 'running' }]);
		expect(status).toBe(403);
		expect(asked).toEqual([]);
	});

	it.each<[string, number, object, readonly [number, unknown?]]>([
		['a question with the right token', 200, {}, [200, { state: 'NOT FOUND' }]],
		[
			'a question, by a trigger without a secret',
			403,
			{ secret: '' },
			[200, { state: 'NOT FOUND' }],
		],
		['a question that the crew answers 404', 403, {}, [404, { detail: 'Not found' }]],
		['another callback', 403, { kind: 'crew' }, [200, { state: 'NOT FOUND' }]],
	])('accepts that a run that asks is not found: %s', async (_what, expected, set, reply) => {
		const baseUrl = newBaseUrl();
		nock(baseUrl)
			.persist()
			.get(/status/)
			.reply(reply[0], reply[1] as nock.Body);
		const { secret, kind } = { secret: 'a secret', kind: 'human_input', ...set };
		const token = tokenFor(
			'a secret',
			kind as CallbackKind,
			`${N8N_URL}/webhook/${WEBHOOK_ID}/webhook`,
		);
		const call = {
			body: { kickoff_id: KICKOFF_ID, task_id: 't', task_output: 'A' },
			query: { callback: kind, token },
			parameters: confirmWithCrew,
			credential: { baseUrl, callbackSecret: secret },
		};
		await callTrigger(call);
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000);
		const { status } = await callTrigger(call);
		jest.restoreAllMocks();
		expect(status).toBe(expected);
	});

	it('asks once for each execution, however many events mention it', async () => {
		const event = (id: number) => ({ id, execution_id: `id-${id % 2}`, type: 'a', data: {} });
		const body = { events: [0, 1, 2, 3].map(event) };
		const { items, asked } = await callConfirmed(body, () => [200, { status: 'running' }]);
		expect(items).toHaveLength(4);
		expect(asked).toHaveLength(2);
	});

	it('stops asking at the first unknown execution', async () => {
		const body = Array.from({ length: 1_000 }, (_, n) => ({ ...BODY, kickoff_id: `id-${n}` }));
		const { status, asked } = await callConfirmed(body, () => [400, { detail: 'Not found' }]);
		expect(status).toBe(403);
		expect(asked.length).toBeLessThan(50);
	});

	it.each<[string, Partial<typeof CREDENTIAL> | null, RegExp]>([
		['there is no credential', null, /no crew to verify executions with/],
		['the base URL cannot be used', { baseUrl: 'my-crew' }, /base URL must start with/],
		['the access token is missing', { accessToken: '' }, /access token is empty/],
	])('answers 503 if %s, and n8n’s log says why', async (_what, credential, reason) => {
		const call = { body: BODY, parameters: confirmWithCrew, credential };
		const { status, items, logged } = await callTrigger(call);
		expect([status, items]).toEqual([503, undefined]);
		expect(logged).toEqual([['error', expect.stringMatching(reason)]]);
		// In the editor, the user sees it.
		await expect(callTrigger({ ...call, mode: 'manual' })).rejects.toThrow(reason);
	});

	it('is on if an expression gives the text true', async () => {
		const parameters = { options: { confirmWithCrew: '={{ "true" }}' } };
		const { status } = await callTrigger({ body: BODY, parameters, credential: null });
		expect(status).toBe(503);
	});

	it('asks nothing if it is off', async () => {
		const { status } = await callTrigger({ body: BODY, parameters: { events: [] } });
		expect(status).toBe(200);
	});
});
