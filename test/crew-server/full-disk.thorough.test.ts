import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { deployApart, type Apart } from './support/apart';
import { Client } from './support/client';
import { limitFiles } from './support/limitFiles';
import { anyText, textWith } from './support/matchers';
import { onLinux } from './support/onLinux';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

/** Simulates a full disk: the system refuses to make a file larger than this. */
const MOST_BYTES = 1024 ** 2;

let apart: Apart;
let client: Client;
let receiver: Receiver;
let dataFolder: string;
beforeEach(async () => {
	dataFolder = mkdtempSync(join(tmpdir(), 'crew-full-'));
	receiver = await startReceiver();
	apart = await deployApart({ dataFolder, crew: 'reviewed-article' });
	client = new Client(apart.crew);
});
afterEach(async () => {
	await apart.kill();
	await receiver.close();
	rmSync(dataFolder, { recursive: true });
});

/** Kicks off executions until there is no more room. */
async function fillDisk(most = MOST_BYTES): Promise<void> {
	limitFiles(apart.child.pid, most);
	const { status, headers, body } = await client.post('/kickoff', {
		inputs: { topic: 'x'.repeat(2 * MOST_BYTES) },
		webhooks: { url: receiver.url, events: ['crew_kickoff_started'], realtime: true },
	});
	expect([status, headers.get('retry-after')]).toEqual([503, '5']);
	expect(body).toMatchObject({ message: textWith('nothing was done, so try again later') });
}

onLinux(
	'on Linux, refuses a kickoff, tells nobody of it, and takes others once it can',
	async () => {
		// Nothing at all can be written.
		await fillDisk(1);
		expect(await client.get('/health')).toMatchObject({
			status: 503,
			body: { status: 'unhealthy', reason: anyText },
		});
		limitFiles(apart.child.pid, 'unlimited');
		const webhooks = { url: receiver.url, events: ['crew_kickoff_started'], realtime: true };
		const id = await until(async () => {
			const { body } = await client.post('/kickoff', { inputs: { topic: 'Tea' }, webhooks });
			return typeof body['kickoff_id'] === 'string' && body['kickoff_id'];
		});
		await client.untilStatus(id, 'pending_human_input');
		await until(() => receiver.received.length > 0);
		expect(receiver.received.map(({ body }) => body)).toMatchObject([
			{ events: [{ execution_id: id }] },
		]);
		expect(await client.get('/health')).toMatchObject({ status: 200, body: { status: 'healthy' } });
	},
);

onLinux('on Linux, goes on with what it works on, and closes its stream at the end', async () => {
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const stream = client.get(`/${id}/events`);
	await fillDisk();
	await until(async () => (await client.resume(id)).status === 200);
	await client.untilStatus(id, 'completed');
	expect((await stream).body['text']).toContain('crew_kickoff_completed');
});
