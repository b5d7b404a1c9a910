import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { CrewServerOptions } from '../../crew-server/src';
import { deployApart, type Apart } from './support/apart';
import { crewOf } from './support/crewOf';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

/**
 * How much load the deployment can take, in a separate process so that its memory can be read. The
 * figures are printed, and the limits are generous: they catch a leak or a jam, not a slow machine.
 */

let apart: Apart | undefined;
let crew: Apart['crew'];
let dataFolder: string;
let receiver: Receiver | undefined;

async function deploy(options: CrewServerOptions): Promise<void> {
	dataFolder = mkdtempSync(join(tmpdir(), 'crew-figures-'));
	apart = await deployApart({ dataFolder, ...options });
	({ crew } = apart);
}
afterEach(async () => {
	await apart?.kill();
	rmSync(dataFolder, { recursive: true });
	await receiver?.close();
});

/** Of a usual length. */
const OUTPUT = 'A text of a length that is usual for an answer. '.repeat(20);

const headers = () => ({
	authorization: `Bearer ${crew.accessToken}`,
	'content-type': 'application/json',
});

async function kickoff(callbacks: Record<string, string> = {}): Promise<string> {
	const response = await fetch(`${crew.url}/kickoff`, {
		method: 'POST',
		headers: headers(),
		body: JSON.stringify(callbacks),
	});
	expect(response.status).toBe(200);
	return ((await response.json()) as { kickoff_id: string }).kickoff_id;
}

async function status(id: string): Promise<{ status: string; execution_time: number }> {
	const response = await fetch(`${crew.url}/${id}/status`, { headers: headers() });
	return (await response.json()) as { status: string; execution_time: number };
}

/** Does work many times, this many at once. */
async function sideBySide<Result>(
	count: number,
	width: number,
	work: (index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	let next = 0;
	const lane = async () => {
		while (next < count) {
			const index = next++;
			results[index] = await work(index);
		}
	};
	await Promise.all(Array.from({ length: width }, lane));
	return results;
}

/** Mebibytes that the deployment's process has in use. */
async function memory(): Promise<number> {
	const { child } = apart!;
	const told = once(child, 'message') as Promise<[number]>;
	child.send('memory');
	const [bytes] = await told;
	return bytes / 1024 ** 2;
}

it('runs 1,000 executions at once, none of them more than a tenth of its time late', async () => {
	// Longer than all the kickoffs take, even on a slow machine.
	const planned = 20;
	await deploy({ crew: crewOf([planned * 500, planned * 500], OUTPUT) });
	const begin = performance.now();
	const ids = await sideBySide(1_000, 32, () => kickoff());
	const kickedOff = (performance.now() - begin) / 1_000;
	const taken = await sideBySide(1_000, 32, async (index) =>
		until(async () => {
			const answer = await status(ids[index]!);
			return answer.status === 'completed' && answer.execution_time;
		}, 60_000),
	);
	const behind = Math.max(...taken) - planned;
	process.stderr.write(
		`1,000 kickoffs in ${kickedOff.toFixed(2)} s; the last of 1,000 executions ${behind.toFixed(2)} s behind\n`,
	);
	// Only then were all of them running at the same time.
	expect(kickedOff).toBeLessThan(planned);
	expect(behind).toBeLessThan(planned / 10);
}, 240_000);

it('needs no more memory after 10,000 ended executions than after 3,000', async () => {
	await deploy({ crew: crewOf([0, 0, 0], OUTPUT) });
	const started = await startReceiver();
	receiver = started;
	let called = 0;
	const taskWebhookUrl = started.url;
	const end = async (count: number) => {
		const ids = await sideBySide(count, 32, () => kickoff({ taskWebhookUrl }));
		const last = ids.at(-1)!;
		await until(async () => (await status(last)).status === 'completed');
		called += count * 3;
		await until(() => started.received.length === called, 60_000);
		return memory();
	};
	const first = await end(3_000);
	const seconds = [await end(3_500), await end(3_500)];
	const grown = Math.min(...seconds) - first;
	process.stderr.write(
		`${first.toFixed(0)} MB in use after 3,000 executions, ${seconds.map((one) => one.toFixed(0)).join(' and ')} MB after 6,500 and 10,000\n`,
	);
	expect(grown).toBeLessThan(10);
}, 240_000);
