import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { findFreePort } from '../../sandbox/src/ports';
import { waitFor } from '../../sandbox/src/wait-for';
import { Command } from '../crew-server/support/command';
import type { SoakSettings } from './operations';
import { Promises, TOKEN } from './promises';

/** Executions that are under way all the time. */
const AT_ONCE = 50;
/** Milliseconds between two harms, and those that one lasts. */
const PAUSE = [1_000, 6_000] as const;
const HARM = 1_500;
/** Milliseconds in which the server ends in order. */
const LONGEST_END = 5_000;

/** A crew server that ends, hangs and meets full disks all the time, while clients have it run executions. */
export async function soakCrewServer({
	duration,
	random,
	teardown,
	log,
}: SoakSettings): Promise<{ lines: string[]; problems: string[] }> {
	const folder = mkdtempSync(join(tmpdir(), 'crew-soak-'));
	teardown.add(() => {
		rmSync(folder, { recursive: true });
	});
	const port = await findFreePort();
	const promises = new Promises(`http://127.0.0.1:${port}`, random);
	teardown.add(await promises.listen());
	const args = ['reviewed-article', '--port', String(port), '--token', TOKEN, '--data', folder];
	let server = new Command(args);
	teardown.add(async () => {
		server.kill('SIGKILL');
		await server.ended;
	});
	const until = Date.now() + duration;
	const client = async () => {
		while (Date.now() < until) await promises.keepOne();
	};
	const clients = Promise.all(Array.from({ length: AT_ONCE }, client));
	const harms = {
		kill: async () => {
			server.kill('SIGKILL');
			await server.ended;
			server = new Command(args);
		},
		restart: async () => {
			server.kill('SIGTERM');
			const code = await Promise.race([server.ended, sleep(LONGEST_END, 'no end')]);
			if (code !== 0) promises.problems.push(`SIGTERM ends with ${code}: ${server.output}`);
			server.kill('SIGKILL');
			await server.ended;
			server = new Command(args);
		},
		hang: async () => {
			server.kill('SIGSTOP');
			await sleep(HARM);
			server.kill('SIGCONT');
		},
		fullDisk: async () => {
			const limit = (size: number | 'unlimited') =>
				execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${size}:`]);
			limit(1);
			await sleep(HARM);
			limit('unlimited');
		},
	};
	const done = new Map<string, number>();

	const harm = async () => {
		while (Date.now() < until) {
			await server.said(/(URL)/);
			await sleep(random.integer(...PAUSE));
			const name = random.pick(Object.keys(harms) as Array<keyof typeof harms>);
			await harms[name]();
			done.set(name, (done.get(name) ?? 0) + 1);
		}
	};
	await Promise.all([clients, harm()]);
	log(`${promises.made.size} executions have ended: waiting for their last callbacks`);
	await waitFor('the last callbacks', () => promises.haveArrived()).catch(() => undefined);
	const lines = [
		`${promises.made.size} executions, ${AT_ONCE} at once`,
		`Harms: ${[...done].map(([name, count]) => `${count} × ${name}`).join(', ')}`,
	];
	return { lines, problems: promises.check() };
}
