import type { IDataObject } from 'n8n-workflow';
import { runCrew } from '../support/engine';
import {
	KICKOFF,
	marked,
	RESUME,
	send,
	tokenOf,
	toTrigger,
	TRIGGER,
} from '../support/sentCallbacks';
import { callTrigger } from '../support/triggerCall';
import { idOf, WaitingCrew, type StartBody } from '../support/waitingCrew';

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
