import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { CallbackKind } from '../../nodes/Crew/model/callback';
import { runCrew, type CrewNode } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { callTrigger } from '../support/triggerCall';
import { waitInN8n } from '../support/waitInN8n';
import { idOf, WAIT, WaitingCrew, type StartBody } from '../support/waitingCrew';

const SECRET = 'a long random text';
const TRIGGER_ID = '1f3b0c52-8a3e-4c55-9f0e-2f1d3c4b5a69';
const TRIGGER = `https://n8n.example.com/webhook/${TRIGGER_ID}/webhook`;
const ALL: CallbackKind[] = ['crew', 'human_input', 'step', 'stream', 'task'];

const KICKOFF = { ...WAIT, wait: 'no' };
const RESUME = {
	operation: 'resume',
	wait: 'no',
	kickoffId: idOf(0),
	taskId: 'write',
	decision: 'reject',
	humanFeedback: 'Shorter',
};

/** What a trigger expects, computed from the definition rather than by the node's own code. */
const tokenOf = (kind: CallbackKind) =>
	createHmac('sha256', SECRET)
		.update(JSON.stringify(['n8n-nodes-crew', kind, `${TRIGGER_ID}/webhook`]))
		.digest('base64url');

/** Runs a node and returns the callback fields that it sent, and its item. */
async function send(parameters: CrewNode['parameters'], item = {}, secret = SECRET) {
	const crew = new WaitingCrew();
	const { json, error } = await runCrew(
		{ parameters },
		{ items: [item], credential: { baseUrl: crew.baseUrl, callbackSecret: secret } },
	);
	return { fields: callbackFields([...crew.kickoffs, ...crew.resumes][0]), item: json[0], error };
}

function callbackFields(body: StartBody = {}): StartBody {
	const names = /webhook/i;
	const fields = Object.entries(body).filter(([name]) => names.test(name));
	return Object.fromEntries(fields);
}

const toTrigger = (triggerEvents: string[], options = {}) => ({
	callbacks: 'trigger',
	triggerUrl: TRIGGER,
	triggerEvents,
	options: { n8nMeta: false, ...options },
});

const marked = (kind: CallbackKind, events = ALL.join('.')) =>
	`${TRIGGER}?callback=${kind}&events=${events}`;

describe.each<[string, CrewNode['parameters']]>([
	['Kickoff', KICKOFF],
	['Resume', RESUME],
])('callbacks of %s to a trigger', (_name, operation) => {
	it('have a field for each kind, with its own token', async () => {
		const { fields } = await send({ ...operation, ...toTrigger(ALL) });
		const bearer = (kind: CallbackKind) => ({ strategy: 'bearer', token: tokenOf(kind) });
		expect(fields).toEqual({
			crewWebhookUrl: `${marked('crew')}&token=${tokenOf('crew')}`,
			stepWebhookUrl: `${marked('step')}&token=${tokenOf('step')}`,
			taskWebhookUrl: `${marked('task')}&token=${tokenOf('task')}`,
			humanInputWebhook: { url: marked('human_input'), authentication: bearer('human_input') },
			humanInputWebhookUrl: `${marked('human_input')}&form=url&token=${tokenOf('human_input')}`,
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
		const names = ['crewWebhookUrl', 'humanInputWebhook', 'humanInputWebhookUrl'];
		expect(Object.keys(fields).sort()).toEqual(names);
	});

	it('have no token without a secret', async () => {
		const { fields } = await send({ ...operation, ...toTrigger(ALL) }, {}, '');
		expect(fields.crewWebhookUrl).toBe(marked('crew'));
		expect(fields.humanInputWebhook).toEqual({ url: marked('human_input') });
		expect(fields.humanInputWebhookUrl).toBe(`${marked('human_input')}&form=url`);
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

	it('are refused before anything is sent if no kind of callback is chosen', async () => {
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

	it('are those of the item, with new tokens', async () => {
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

	it('are those of the Kickoff if the trigger has passed them on', async () => {
		const options = { streamEvents: ['task_failed', 'invoice_paid'] };
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

	it('are custom URLs if those were chosen', async () => {
		const callbacks = {
			taskWebhookUrl: 'https://a.example/1',
			humanInputWebhookUrl: 'https://a.example/2',
		};
		const { fields } = await send(kept('={{ $json.callbacks }}'), { callbacks });
		expect(fields).toEqual({
			taskWebhookUrl: 'https://a.example/1',
			humanInputWebhook: { url: 'https://a.example/2' },
			humanInputWebhookUrl: 'https://a.example/2',
		});
	});

	it.each([
		['nothing', ''],
		['text', 'hello'],
		[
			'an object of another shape',
			'{"triggerUrl":7,"triggerEvents":"crew","__proto__":{"crewWebhookUrl":"x"}}',
		],
	])('are none if the item has %s', async (_what, value) => {
		const { fields, item, error } = await send(kept(value));
		expect(error).toBeUndefined();
		expect(fields).toEqual({});
		expect(item).not.toHaveProperty('callbacks');
	});

	it.each<[string, object[], number]>([
		['once where items have none', [{}, {}], 1],
		['not where each item has some', [{ callbacks: { crewWebhookUrl: 'https://a.example' } }], 0],
	])('are hinted at %s', async (_what, items, count) => {
		const crew = new WaitingCrew();
		const { run } = await runCrew(
			{ parameters: kept('={{ $json.callbacks }}') },
			{ items: items as IDataObject[], credential: { baseUrl: crew.baseUrl } },
		);
		const hints = run.data.resultData.runData.Crew?.at(-1)?.hints ?? [];
		expect(hints.map(({ message }) => message)).toEqual(
			Array.from(
				{ length: count },
				() => expect.stringContaining('no callbacks to keep') as string,
			),
		);
	});

	it('keep a crew calling through two pauses and one rejection', async () => {
		let item: Record<string, unknown> = {};
		const heard: StartBody[] = [];
		for (const parameters of [
			{ ...KICKOFF, ...toTrigger(['crew', 'human_input']) },
			{ ...kept('={{ $json.callbacks }}'), decision: 'reject' },
			{ ...kept('={{ $json.callbacks }}'), decision: 'approve' },
		]) {
			const sent = await send(parameters, item);
			heard.push(sent.fields);
			item = sent.item ?? {};
		}
		expect(heard[0]?.crewWebhookUrl).toContain(tokenOf('crew'));
		expect(heard).toEqual([heard[0], heard[0], heard[0]]);
	});
});

describe('callbacks beside those of a wait', () => {
	const waiting = (events: string[], options = {}) => ({
		...WAIT,
		...toTrigger(events, options),
	});
	const demanding = (events: string[], options = {}) =>
		waiting(events, { noticeBy: 'callback', ...options });
	const sendInTime = async (parameters: CrewNode['parameters'], item = {}) =>
		await inFastTime(async () => await send({ ...parameters, resumeAmount: 0 }, item));

	it.each<[string, CrewNode['parameters'], string, RegExp]>([
		['its completion', demanding(['crew', 'task']), 'its completion', /'Automatically'/],
		['human input', demanding(['human_input']), 'human input', /Nothing was sent/],
		[
			'the stream',
			demanding(['stream']),
			'the event stream',
			/turn off the option 'Subscribe to Failures'/,
		],
		[
			'several',
			demanding(ALL),
			'its completion and human input and the event stream',
			/Take it out/,
		],
		[
			'a URL of one’s own',
			{
				...WAIT,
				callbacks: 'custom',
				callbackUrls: { crewWebhookUrl: 'https://a.example' },
				options: { noticeBy: 'callback' },
			},
			'its completion',
			/Take it out/,
		],
	])('are refused if all are required: %s', async (_what, parameters, subject, advice) => {
		const { fields, error } = await send(parameters);
		expect(error?.message).toBe(
			`The crew can call only one place for ${subject}, and this node waits for that call itself`,
		);
		expect(error?.description).toMatch(advice);
		expect(fields).toEqual({});
	});

	it.each<[string, CrewNode['parameters']]>([
		['tasks and steps', demanding(['task', 'step'])],
		['the stream without failures', demanding(['stream'], { failureEvents: false })],
		['the usual trigger', waiting(['crew', 'human_input'])],
		['all of them', waiting(ALL)],
	])('come first: %s', async (_what, parameters) => {
		const { fields, error } = await sendInTime(parameters);
		expect(error).toBeUndefined();
		const events = parameters.triggerEvents as string[];
		const ofWait = { crew: 'crewWebhookUrl', human_input: 'humanInputWebhook' } as const;
		const ofUser = {
			...ofWait,
			task: 'taskWebhookUrl',
			step: 'stepWebhookUrl',
			stream: 'webhooks',
		};
		for (const event of events) {
			const field = ofUser[event as keyof typeof ofUser] as keyof StartBody;
			expect(JSON.stringify(fields[field])).toContain(TRIGGER);
		}
		for (const [event, field] of Object.entries(ofWait)) {
			if (!events.includes(event)) {
				expect(JSON.stringify(fields[field])).toContain('/webhook-waiting/');
			}
		}
		const questionsTo = events.includes('human_input') ? TRIGGER : '/webhook-waiting/';
		expect(fields.humanInputWebhookUrl).toContain(questionsTo);
	});

	it('come first if they are those from before, of which Resume adds no stream', async () => {
		const callbacks = { triggerUrl: TRIGGER, triggerEvents: ['crew', 'task'] };
		const parameters = { ...RESUME, callbacks: 'same', wait: 'end' };
		const { fields } = await sendInTime(
			{ ...parameters, sameCallbacks: '={{ $json.callbacks }}' },
			{ callbacks },
		);
		expect(fields.taskWebhookUrl).toContain(tokenOf('task'));
		expect(fields.crewWebhookUrl).toContain(tokenOf('crew'));
		expect(fields.humanInputWebhook?.url).toContain('/webhook-waiting/');
		expect(fields).not.toHaveProperty('webhooks');
	});

	it.each([
		['asked at the polling pace without the crew’s', ['crew'], true],
		['asked so without the question’s, too', ['human_input'], true],
		['not asked more often with both', ['task'], false],
	])('leave a wait that is %s', async (_what, events, isPolled) => {
		const crew = new WaitingCrew();
		const { shown } = await waitInN8n(
			{ parameters: waiting(events) },
			{ credential: { baseUrl: crew.baseUrl }, forAtMost: 60_000 },
		);
		expect(shown.run.status).toBe('waiting');
		expect(crew.asked.length > 2).toBe(isPolled);
	});
});
