import type { CrewNode } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { ALL, RESUME, send, tokenOf, toTrigger, TRIGGER } from '../support/sentCallbacks';
import { waitInN8n } from '../support/waitInN8n';
import { WAIT, WaitingCrew, type StartBody } from '../support/waitingCrew';

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
