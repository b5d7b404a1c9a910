import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { deployApart, type Apart } from './support/apart';
import { Client } from './support/client';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

/** A disk that takes no more: the system refuses what makes a file larger than this. */
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

/** Tries to kick off what no longer finds room. */
async function fillDisk(): Promise<string> {
	execFileSync('prlimit', ['--pid', String(apart.child.pid), `--fsize=${MOST_BYTES}`]);
	const { status } = await client.post('/kickoff', {
		inputs: { topic: 'Tea' },
		meta: { text: 'x'.repeat(2 * MOST_BYTES) },
		webhooks: { url: receiver.url, events: ['crew_kickoff_started'], realtime: true },
	});
	expect(status).toBe(500);
	await until(() => receiver.received.length === 1);
	const [{ execution_id: id }] = receiver.received[0]!.body['events'] as [{ execution_id: string }];
	return id;
}

/** Only there can a process be given a limit while it runs. */
const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('on Linux, does not work on an execution whose kickoff it has refused', async () => {
	const id = await fillDisk();
	expect((await client.get(`/${id}/status`)).body).toMatchObject({ status: 'stopped' });
});

onLinux('on Linux, goes on with what it works on, and closes its stream at the end', async () => {
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const stream = client.get(`/${id}/events`);
	await fillDisk();
	await client.resume(id);
	await client.untilStatus(id, 'completed');
	expect((await stream).body['text']).toContain('human_feedback_requested');
});
