import { setTimeout as sleep } from 'node:timers/promises';

import { startReceiver, type Receiver } from '../support/receiver';
import { until } from '../support/until';
import { crewFile, folders, mostMemory, operate, withPreload } from './support/operated';

/** Callbacks from the receivers' point of view. */

const LONG = 60_000;

const receivers: Receiver[] = [];
afterEach(async () => {
	for (const receiver of receivers.splice(0)) await receiver.close();
});

async function receive(...answer: Parameters<typeof startReceiver>): Promise<Receiver> {
	const receiver = await startReceiver(...answer);
	receivers.push(receiver);
	return receiver;
}

it('retries a callback without an answer for 10 s, even with garbage collections', async () => {
	const receiver = await receive((index) => (index === 0 ? 'hang' : 200));
	const env = withPreload({ collectsGarbage: true });
	const { client } = await operate([crewFile('duration: 0'), '--no-data'], env);
	await client.kickoff({ crewWebhookUrl: receiver.url });
	await until(() => receiver.received.length === 2, 15_000);
});

it('sends each of many callbacks once to a slow receiver, however long they wait', async () => {
	const receiver = await receive(() => sleep(2_800, 200));
	const args = [crewFile('duration: 0'), '--no-data', '--log-level', 'debug'];
	const { server, client } = await operate(args);
	const ids = Array.from({ length: 300 }, (_, index) =>
		client.kickoff({ crewWebhookUrl: `${receiver.url}/${index}` }),
	);
	await Promise.all(ids);
	const fates = (fate: string) => server.told(`callback_${fate}`).length;
	await until(() => fates('delivered') + fates('given_up') >= 300, LONG);
	expect(receiver.received).toHaveLength(300);
});

it('sends the end at once, however many steps have failed at the same address', async () => {
	const receiver = await receive((_index, { body }) => ('result_json' in body ? 200 : 503));
	const tools = Array.from({ length: 10 }, (_, index) => `tool${index}`);
	const { client } = await operate([
		crewFile(`duration: 0\n    tools: [${tools.join(', ')}]`),
		'--no-data',
	]);
	const { url } = receiver;
	const id = await client.kickoff({ stepWebhookUrl: url, crewWebhookUrl: url });
	await client.untilStatus(id, 'completed');
	await until(() => receiver.received.some(({ body }) => 'result_json' in body), 3_000);
});

it('lets no path of a receiver delay another one', async () => {
	const receiver = await receive((_index, { path }) => (path === '/slow' ? 'hang' : 200));
	const { client } = await operate([crewFile('duration: 0'), '--no-data']);
	const kickoffs = Array.from({ length: 200 }, () =>
		client.kickoff({ crewWebhookUrl: `${receiver.url}/slow` }),
	);
	await Promise.all(kickoffs);
	await until(() => receiver.bodiesAt('/slow').length >= 40);
	const id = await client.kickoff({ crewWebhookUrl: `${receiver.url}/fast` });
	await client.untilStatus(id, 'completed');
	await until(() => receiver.bodiesAt('/fast').length === 1, 3_000);
});

it('lets no execution delay another one at the same URL', async () => {
	let slow = '';
	const receiver = await receive((_index, { body }) =>
		body['kickoff_id'] === slow ? 'hang' : 200,
	);
	const { client } = await operate(['reviewed-article', '--no-data']);
	const targets = { stepWebhookUrl: receiver.url };
	slow = await client.kickoff();
	await client.untilStatus(slow, 'pending_human_input');
	await client.resume(slow, targets);
	await until(() => receiver.received.length === 1);
	const id = await client.kickoff(targets);
	await client.untilStatus(id, 'pending_human_input');
	const of = (kickoffId: string) =>
		receiver.received.filter(({ body }) => body['kickoff_id'] === kickoffId);
	await until(() => of(id).length > 1, 3_000);
	expect(of(slow)).toHaveLength(1);
});

it('sends the user and password of a URL as Basic authentication', async () => {
	const receiver = await receive();
	const { client } = await operate([crewFile('duration: 0'), '--no-data']);
	const url = receiver.url.replace('//', '//us%C3%A9r:p%40ss%3Aword%25@');
	const id = await client.kickoff({ crewWebhookUrl: url });
	await client.untilStatus(id, 'completed');
	await until(() => receiver.received.length === 1);
	const [scheme, value = ''] = receiver.received[0]!.headers.authorization?.split(' ') ?? [];
	expect([scheme, Buffer.from(value, 'base64').toString()]).toEqual(['Basic', 'usér:p@ss:word%']);
});

it('reads unsent callbacks of an earlier process only as it sends them', async () => {
	const receiver = await receive(() => 'hang');
	const args = [crewFile('duration: 0'), '--data', folders.make()];
	const first = await operate(args);
	const meta = { text: 'x'.repeat(400_000) };
	const kickoffs = Array.from({ length: 600 }, (_, index) =>
		first.client.kickoff({ meta, crewWebhookUrl: `${receiver.url}/${index}` }),
	);
	await Promise.all(kickoffs);
	first.server.kill('SIGKILL');
	await first.server.ended;
	receiver.received.splice(0);
	const before = Date.now();
	const { server } = await operate(args);
	await until(() => receiver.received.length > 0, LONG);
	expect(Date.now() - before).toBeLessThan(5_000);
	expect(mostMemory(server.pid)).toBeLessThan(400);
	const ending = Date.now();
	expect(await server.end()).toBe(0);
	expect(Date.now() - ending).toBeLessThan(5_000);
});

it('keeps the order of callbacks if the clock is set back between two starts', async () => {
	let isAway = true;
	const receiver = await receive(() => (isAway ? 'hang' : 200));
	const args = ['reviewed-article', '--data', folders.make()];
	const first = await operate(args);
	const targets = { stepWebhookUrl: receiver.url };
	const id = await first.client.kickoff(targets);
	await first.client.untilStatus(id, 'pending_human_input');
	await first.server.end();
	const backward = withPreload({ shift: -3_600_000 });
	const second = await operate(args, backward);
	await second.client.resume(id, targets);
	await second.client.untilStatus(id, 'completed');
	await second.server.end();
	receiver.received.splice(0);
	isAway = false;
	await operate(args, backward);
	await until(() => receiver.received.length === 3);
	const results = receiver.received.map(({ body }) => String(body['result']).slice(0, 10));
	expect(results).toEqual(['web_search', '# Tea\n\nMos', 'Ready to p']);
});
