import { createHmac } from 'node:crypto';
import nock from 'nock';
import { KICKOFF_ID } from '../support/crewOperations';
import { N8N_URL, WEBHOOK_ID } from '../support/engine';
import { callTrigger, type TriggerCall } from '../support/triggerCall';

const SECRET = 'a long random text';
const BODY = { kickoff_id: KICKOFF_ID, result: 'Bees' };

/** Computed from the definition rather than by the node's own code. */
const token = (kind: string, secret = SECRET, path = `${WEBHOOK_ID}/webhook`) =>
	createHmac('sha256', secret)
		.update(JSON.stringify(['n8n-nodes-crew', kind, path]))
		.digest('base64url');

async function callWith(call: Omit<TriggerCall, 'body'>, secret = SECRET) {
	return await callTrigger({
		body: BODY,
		parameters: { events: [], options: { confirmWithCrew: true } },
		credential: { callbackSecret: secret },
		...call,
	});
}

describe('with a callback secret', () => {
	beforeEach(() => {
		nock('https://crew.example.com')
			.get(/status/)
			.reply(200, { status: 'running' });
	});

	it.each<[string, Omit<TriggerCall, 'body'>]>([
		['in the URL', { query: { callback: 'crew', token: token('crew') } }],
		[
			'as bearer',
			{ query: { callback: 'stream' }, headers: { authorization: `Bearer ${token('stream')}` } },
		],
		[
			'as bearer, in small letters',
			{ query: { callback: 'stream' }, headers: { authorization: `bearer ${token('stream')}` } },
		],
	])('the token of the kind opens the trigger: %s', async (_what, call) => {
		const { status, items } = await callWith(call);
		expect(status).toBe(200);
		expect(items).toHaveLength(1);
	});

	it.each<[string, Omit<TriggerCall, 'body'>]>([
		['no token', { query: { callback: 'crew' } }],
		['neither token nor kind', {}],
		['an empty token', { query: { callback: 'crew', token: '' } }],
		['no kind', { query: { token: token('crew') } }],
		['another kind', { query: { callback: 'task', token: token('crew') } }],
		['a kind that is none', { query: { callback: 'look', token: token('look') } }],
		['two kinds', { query: { callback: ['crew', 'task'], token: token('crew') } }],
		['two tokens', { query: { callback: 'crew', token: [token('crew'), 'a'] } }],
		[
			'another trigger',
			{ query: { callback: 'crew', token: token('crew', SECRET, 'webhook-2/webhook') } },
		],
		['the secret of before', { query: { callback: 'crew', token: token('crew', 'older') } }],
		['the secret itself', { query: { callback: 'crew', token: SECRET } }],
		['a part of the token', { query: { callback: 'crew', token: token('crew').slice(0, -1) } }],
		['a longer token', { query: { callback: 'crew', token: `${token('crew')}a` } }],
		[
			'another scheme',
			{ query: { callback: 'crew' }, headers: { authorization: `Digest ${token('crew')}` } },
		],
		[
			'a header without a token',
			{ query: { callback: 'crew' }, headers: { authorization: 'Bearer' } },
		],
		[
			'the access token',
			{ query: { callback: 'crew' }, headers: { authorization: 'Bearer organisation-token' } },
		],
	])('nothing else does: %s', async (_what, call) => {
		const { status, answer, items, logged } = await callWith(call);
		expect(status).toBe(401);
		expect(answer).toEqual({ message: 'The token of this callback URL is missing or not valid' });
		expect(items).toBeUndefined();
		expect(logged).toEqual([['info', 'Crew refused a callback without the right token']]);
		// No request was sent, although the trigger would have to ask the crew.
		expect(nock.pendingMocks()).toHaveLength(1);
	});

	it('no item has the token, or the access token', async () => {
		const query = { callback: 'crew', token: token('crew'), events: 'crew.task' };
		const { items } = await callWith({ query });
		expect(items?.[0]?.callbacks).toEqual({
			triggerUrl: `${N8N_URL}/webhook/${WEBHOOK_ID}/webhook`,
			triggerEvents: ['crew', 'task'],
		});
		for (const secret of [SECRET, token('crew'), 'organisation-token']) {
			expect(JSON.stringify(items)).not.toContain(secret);
		}
	});
});

it('a callback secret that is a number counts as text', async () => {
	const credential = { callbackSecret: 42 as unknown as string };
	const query = { callback: 'crew', token: token('crew', '42') };
	const { status } = await callTrigger({ body: BODY, query, credential });
	expect(status).toBe(200);
});

it.each([undefined, null])(
	'nobody gets in if the expression of the secret gives %s',
	async (none) => {
		const credential = { callbackSecret: none as unknown as string };
		const { status, items, logged } = await callTrigger({ body: BODY, credential });
		expect([status, items]).toEqual([503, undefined]);
		expect(logged).toEqual([['error', expect.stringMatching(/callback secret .* has no value/)]]);
	},
);

describe('without a callback secret', () => {
	it('anyone who knows the URL can start the workflow', async () => {
		const { status, items } = await callTrigger({ body: BODY, parameters: { events: [] } });
		expect(status).toBe(200);
		expect(items).toHaveLength(1);
	});
});

describe('what an item says about callbacks', () => {
	it.each<[string, Record<string, unknown>, object, string[]?]>([
		[
			'those that the crew was told, as its URL says',
			{ events: 'crew.human_input' },
			{ triggerEvents: ['crew', 'human_input'] },
		],
		[
			'the types of the stream too',
			{ events: 'stream', types: 'task_failed,invoice_paid' },
			{ triggerEvents: ['stream'], streamEvents: ['task_failed', 'invoice_paid'] },
		],
		[
			'those that the trigger waits for, where the URL does not say',
			{},
			{ triggerEvents: ['step'] },
		],
		[
			'what matters to people, where the trigger waits for everything',
			{ callback: 'step' },
			{ triggerEvents: ['crew', 'human_input', 'step'] },
			[],
		],
		['no more than there are', { events: 'crew.hello.__proto__' }, { triggerEvents: ['crew'] }],
	])('is %s', async (_what, query, told, events = ['step']) => {
		const body = {
			kickoff_id: KICKOFF_ID,
			thought: 'I search',
			callbacks: { triggerUrl: 'https://evil.example' },
		};
		const { items } = await callTrigger({ body, query, parameters: { events } });
		expect(items?.[0]?.callbacks).toEqual({
			triggerUrl: `${N8N_URL}/webhook/${WEBHOOK_ID}/webhook`,
			...told,
		});
	});
});
