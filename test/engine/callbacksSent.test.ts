import type { CallbackKind } from '../../nodes/Crew/model/callback';
import type { CrewNode } from '../support/engine';
import {
	ALL,
	KICKOFF,
	marked,
	RESUME,
	SECRET,
	send,
	tokenOf,
	toTrigger,
	TRIGGER,
} from '../support/sentCallbacks';

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

describe('a callback secret', () => {
	it('that is a number counts as text', async () => {
		const { fields, error } = await send(
			{ ...KICKOFF, ...toTrigger(['crew']) },
			{},
			42 as unknown as string,
		);
		const asText = await send({ ...KICKOFF, ...toTrigger(['crew']) }, {}, '42');
		expect(error).toBeUndefined();
		expect(fields).toEqual(asText.fields);
	});

	it('is missed if its expression gives nothing', async () => {
		const { error } = await send({ ...KICKOFF, ...toTrigger(['crew']) }, {}, null!);
		expect(error?.message).toMatch(/callback secret .* has no value/);
	});

	it('is not needed without a trigger', async () => {
		const { error } = await send({ ...KICKOFF, callbacks: 'none' }, {}, null!);
		expect(error).toBeUndefined();
	});
});
