import { createHmac } from 'node:crypto';
import type { CallbackKind } from '../../nodes/Crew/model/callback';
import { runCrew, type CrewNode } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { callTrigger } from '../support/triggerCall';
import { idOf, WAIT_FOR_CALLBACK, WaitingCrew, type StartBody } from '../support/waitingCrew';

const SECRET = 'a long random text';
const TRIGGER_ID = '1f3b0c52-8a3e-4c55-9f0e-2f1d3c4b5a69';
const TRIGGER = `https://n8n.example.com/webhook/${TRIGGER_ID}/webhook`;
const ALL: CallbackKind[] = ['crew', 'human_input', 'step', 'stream', 'task'];

const KICKOFF = { ...WAIT_FOR_CALLBACK, wait: 'no' };
const RESUME = {
	operation: 'resume',
	executionId: idOf(0),
	taskId: 'write',
	isApprove: false,
	humanFeedback: 'Shorter',
};

/** What a trigger expects: computed here by its definition, and not by the node's own code. */
const tokenOf = (kind: CallbackKind) =>
	createHmac('sha256', SECRET)
		.update(JSON.stringify(['n8n-nodes-crew', kind, `${TRIGGER_ID}/webhook`]))
		.digest('base64url');

/** Runs a node and gives the callback fields of what it sent, and its item. */
async function send(parameters: CrewNode['parameters'], item = {}, secret = SECRET) {
	const crew = new WaitingCrew();
	const { json, error } = await runCrew(
		{ parameters },
		{ items: [item], credential: { baseUrl: crew.baseUrl, callbackSecret: secret } },
	);
	return { fields: callbackFields([...crew.kickoffs, ...crew.resumes][0]), item: json[0], error };
}

function callbackFields(body: StartBody = {}): StartBody {
	const { taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhook, webhooks } = body;
	const fields = { taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhook, webhooks };
	return JSON.parse(JSON.stringify(fields)) as StartBody;
}

const toTrigger = (triggerEvents: string[], options = {}) => ({
	callbacks: 'trigger',
	triggerUrl: TRIGGER,
	triggerEvents,
	options: { n8nMeta: false, lookTime: 0, ...options },
});

const marked = (kind: CallbackKind, events = ALL.join('.')) =>
	`${TRIGGER}?callback=${kind}&events=${events}`;

describe.each<[string, CrewNode['parameters']]>([
	['Kickoff', KICKOFF],
	['Resume', RESUME],
])('callbacks of %s to a trigger', (_name, operation) => {
	it('have a field for each kind, with a token of its own', async () => {
		const { fields } = await send({ ...operation, ...toTrigger(ALL) });
		const bearer = (kind: CallbackKind) => ({ strategy: 'bearer', token: tokenOf(kind) });
		expect(fields).toEqual({
			crewWebhookUrl: `${marked('crew')}&token=${tokenOf('crew')}`,
			stepWebhookUrl: `${marked('step')}&token=${tokenOf('step')}`,
			taskWebhookUrl: `${marked('task')}&token=${tokenOf('task')}`,
			humanInputWebhook: { url: marked('human_input'), authentication: bearer('human_input') },
			webhooks: {
				events: expect.arrayContaining(['crew_kickoff_failed', 'task_completed']) as string[],
				url: marked('stream'),
				realtime: true,
				authentication: bearer('stream'),
			},
		});
	});

	it('have only the chosen kinds', async () => {
		const { fields } = await send({ ...operation, ...toTrigger(['crew', 'human_input']) });
		expect(Object.keys(fields).sort()).toEqual(['crewWebhookUrl', 'humanInputWebhook']);
	});

	it('show the token by name and password where that is chosen', async () => {
		const parameters = toTrigger(['human_input'], { callbackAuthentication: 'basic' });
		const { fields } = await send({ ...operation, ...parameters });
		expect(fields.humanInputWebhook?.authentication).toEqual({
			strategy: 'basic',
			username: 'crew',
			password: tokenOf('human_input'),
		});
	});

	it('have no token without a secret', async () => {
		const { fields } = await send({ ...operation, ...toTrigger(['crew', 'stream']) }, {}, '');
		expect(fields.crewWebhookUrl).toBe(marked('crew', 'crew.stream'));
		expect(fields.webhooks).not.toHaveProperty('authentication');
	});

	it('name the chosen types of the stream', async () => {
		const streamEvents = ['task_failed', 'invoice_paid'];
		const { fields } = await send({ ...operation, ...toTrigger(['stream'], { streamEvents }) });
		expect(fields.webhooks?.events).toEqual(streamEvents);
	});

	it('are carried by the item, without tokens', async () => {
		const { item } = await send({ ...operation, ...toTrigger(ALL) });
		expect(item?.callbacks).toEqual({ triggerUrl: TRIGGER, triggerEvents: ALL });
		const text = JSON.stringify(item);
		for (const token of [SECRET, 'organisation-token', ...ALL.map(tokenOf)]) {
			expect(text).not.toContain(token);
		}
	});

	it.each([
		'={{ "" }}',
		'={{ $json.nothing }}',
		'={{ 7 }}',
		'={{ [] }}',
		'webhook/1',
		'ftp://n8n.example.com',
		'https://me:pw@n8n.example.com',
	])('are refused before anything is sent where the URL is %j', async (triggerUrl) => {
		const { fields, error } = await send({ ...operation, ...toTrigger(ALL), triggerUrl });
		expect(error?.message).toMatch(/^Trigger URL cannot be called: /);
		expect(fields).toEqual({});
	});

	it('are refused before anything is sent where no kind of callback is chosen', async () => {
		const { fields, error } = await send({ ...operation, ...toTrigger([]) });
		expect(error?.message).toBe('Trigger Events is empty');
		expect(fields).toEqual({});
	});
});

describe('callbacks: same', () => {
	const kept = (value: unknown) => ({
		...RESUME,
		callbacks: 'same',
		sameCallbacks: value as string,
	});

	it('are those of the item, with tokens computed anew', async () => {
		const choice = { triggerUrl: TRIGGER, triggerEvents: ['crew', 'stream'], streamEvents: ['a'] };
		const { fields, item } = await send(kept('={{ $json.callbacks }}'), { callbacks: choice });
		expect(fields.crewWebhookUrl).toBe(
			`${marked('crew', 'crew.stream')}&types=a&token=${tokenOf('crew')}`,
		);
		expect(fields.webhooks).toMatchObject({
			events: ['a'],
			authentication: { token: tokenOf('stream') },
		});
		expect(item?.callbacks).toEqual(choice);
	});

	it('are those of the Kickoff, when the trigger has handed them on', async () => {
		const options = {
			streamEvents: ['task_failed', 'invoice_paid'],
			callbackAuthentication: 'basic',
		};
		const before = await send({ ...KICKOFF, ...toTrigger(['human_input', 'stream'], options) });
		const { url = '' } = before.fields.humanInputWebhook ?? {};
		const query = Object.fromEntries(new URL(url).searchParams);
		const body = { execution_id: idOf(0), task_id: 'write', output: 'A draft' };
		const { items } = await callTrigger({
			...{ body, query, parameters: { events: [] } },
			credential: { callbackSecret: '' },
		});
		const callbacks = { ...(items?.[0]?.callbacks as object), triggerUrl: TRIGGER };
		const after = await send(kept('={{ $json.callbacks }}'), { callbacks });
		expect(after.fields).toEqual(before.fields);
	});

	it('are URLs of one’s own where those were chosen', async () => {
		const callbacks = {
			taskWebhookUrl: 'https://a.example/1',
			humanInputWebhookUrl: 'https://a.example/2',
		};
		const { fields } = await send(kept('={{ $json.callbacks }}'), { callbacks });
		expect(fields).toEqual({
			taskWebhookUrl: 'https://a.example/1',
			humanInputWebhook: { url: 'https://a.example/2' },
		});
	});

	it.each([
		['nothing', ''],
		['text', 'hello'],
		[
			'an object of another shape',
			'{"triggerUrl":7,"triggerEvents":"crew","__proto__":{"crewWebhookUrl":"x"}}',
		],
	])('are none where the item has %s', async (_what, value) => {
		const { fields, item, error } = await send(kept(value));
		expect(error).toBeUndefined();
		expect(fields).toEqual({});
		expect(item).not.toHaveProperty('callbacks');
	});

	it('keep a crew audible through two pauses and one rejection', async () => {
		let item: Record<string, unknown> = {};
		const heard: StartBody[] = [];
		for (const parameters of [
			{ ...KICKOFF, ...toTrigger(['crew', 'human_input']) },
			{ ...kept('={{ $json.callbacks }}'), isApprove: false },
			{ ...kept('={{ $json.callbacks }}'), isApprove: true },
		]) {
			const sent = await send(parameters, item);
			heard.push(sent.fields);
			item = sent.item ?? {};
		}
		expect(heard[0]?.crewWebhookUrl).toContain(tokenOf('crew'));
		expect(heard).toEqual([heard[0], heard[0], heard[0]]);
	});
});

describe('callbacks beside a wait for a callback', () => {
	const waiting = (events: string[], options = {}) => ({
		...KICKOFF,
		...toTrigger(events, options),
		wait: 'callback',
	});

	it.each<[string, CrewNode['parameters'], string, RegExp]>([
		['its completion', waiting(['crew', 'task']), 'its completion', /'By Polling'/],
		['human input', waiting(['human_input']), 'human input', /Nothing was sent/],
		[
			'the stream',
			waiting(['stream']),
			'the event stream',
			/switch off the option 'Failure Events'/,
		],
		['several', waiting(ALL), 'its completion and human input and the event stream', /Take it out/],
		[
			'a URL of one’s own',
			{
				...WAIT_FOR_CALLBACK,
				callbacks: 'custom',
				callbackUrls: { crewWebhookUrl: 'https://a.example' },
			},
			'its completion',
			/Take it out/,
		],
	])('are refused before anything is sent: %s', async (_what, parameters, subject, advice) => {
		const { fields, error } = await send(parameters);
		expect(error?.message).toBe(
			`The crew can call only one place for ${subject}, and this node waits for that call itself`,
		);
		expect(error?.description).toMatch(advice);
		expect(fields).toEqual({});
	});

	it.each<[string, string[], object]>([
		['tasks and steps', ['task', 'step'], {}],
		['the stream where Failure Events is off', ['stream'], { failureEvents: false }],
	])('are sent along where they do not meet: %s', async (_what, events, options) => {
		const { fields, error } = await inFastTime(async () => await send(waiting(events, options)));
		expect(error).toBeUndefined();
		const own = { task: 'taskWebhookUrl', step: 'stepWebhookUrl', stream: 'webhooks' } as const;
		for (const event of events) {
			expect(JSON.stringify(fields[own[event as keyof typeof own]])).toContain(TRIGGER);
		}
		expect(fields.crewWebhookUrl).toContain('/webhook-waiting/');
	});

	it('give way where they are those from before', async () => {
		const callbacks = { triggerUrl: TRIGGER, triggerEvents: ['crew', 'task'] };
		const parameters = { ...RESUME, callbacks: 'same', wait: 'callback', options: { lookTime: 0 } };
		const { fields } = await inFastTime(
			async () =>
				await send({ ...parameters, sameCallbacks: '={{ $json.callbacks }}' }, { callbacks }),
		);
		expect(fields.taskWebhookUrl).toContain(tokenOf('task'));
		expect(fields.crewWebhookUrl).toContain('/webhook-waiting/');
	});
});
