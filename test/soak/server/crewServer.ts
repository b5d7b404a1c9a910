import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { findFreePort } from '../../../sandbox/src/ports';
import { waitFor } from '../../../sandbox/src/wait-for';
import { ProjectFolder } from '../../crew-server/operator/support/projectFolder';
import { SeededRandom } from '../../support/seededRandom';
import type { SoakSettings } from '../operations';
import { harmsOf, harmsOfHost, LINE, planned } from './harms';
import { TOKEN } from './patientClient';
import { article, Promises, work } from './promises';
import { ServedAgain } from './servedAgain';

/** Executions that are running all the time: of a played crew, and of a project. */
const AT_ONCE = { article: 40, project: 10 };
/** The share of the played crew's executions that are stopped. */
const STOPPED = 0.2;
const PRELOAD = join(__dirname, '..', '..', 'crew-server', 'operator', 'support', 'preload.cjs');

interface Part {
	lines: string[];
	problems: string[];
}

/** Does to crew servers everything that operators dread, while clients use them. */
export async function soakCrewServer(settings: SoakSettings): Promise<Part> {
	// Each has its own seed, so that its choices do not depend on the other one.
	const seeds = [settings.random.integer(0, 1e9), settings.random.integer(0, 1e9)] as const;
	const parts = await Promise.all([
		soakOne(settings, new SeededRandom(seeds[0]), 'article'),
		soakOne(settings, new SeededRandom(seeds[1]), 'project'),
	]);
	return {
		lines: parts.flatMap(({ lines }) => lines),
		problems: parts.flatMap(({ problems }) => problems),
	};
}

async function soakOne(
	{ duration, teardown, log }: SoakSettings,
	random: SeededRandom,
	kind: keyof typeof AT_ONCE,
): Promise<Part> {
	const folder = mkdtempSync(join(tmpdir(), 'crew-soak-'));
	teardown.add(() => {
		rmSync(folder, { recursive: true });
	});
	const port = await findFreePort();
	const promises = new Promises(`http://127.0.0.1:${port}`, random);
	teardown.add(await promises.callbacks.listen());
	const clock = join(folder, 'clock');
	writeFileSync(clock, '0');
	const project = kind === 'project' ? new ProjectFolder(join(folder, 'project')) : undefined;
	teardown.add(() => project?.wake());
	const args = ['--port', String(port), '--token', TOKEN, '--data', join(folder, 'data')];
	const env = { NODE_OPTIONS: `--require ${JSON.stringify(PRELOAD)}`, CLOCK_FILE: clock };
	const crew = project ? [...project.args, '--queue', String(LINE)] : ['reviewed-article'];
	const server = new ServedAgain([...crew, ...args], env);
	teardown.add(() => server.end());

	const harms = {
		...harmsOf(server, promises, clock),
		...(project ? harmsOfHost(server, promises, project) : {}),
	};
	const plan = planned(Object.keys(harms), duration, random);
	const until = Date.now() + duration;
	const client = async (seed: number) => {
		const choices = new SeededRandom(seed);
		while (Date.now() < until) {
			const isStopped = choices.fraction() < STOPPED;
			await promises.keep((all) => (project ? work(all) : article(all, isStopped)));
		}
	};
	const clients = Array.from({ length: AT_ONCE[kind] }, () => client(random.integer(0, 1e9)));

	const done = new Map<string, number>();
	const harm = async () => {
		for (const { pause, name, chance } of plan) {
			if (Date.now() > until) return;
			await server.listens();
			await sleep(pause);
			if (server.death !== undefined) {
				promises.note(`It has ended by itself: ${server.death}`);
				await server.kill();
			} else {
				await harms[name]?.(chance);
				done.set(name, (done.get(name) ?? 0) + 1);
			}
		}
	};
	await Promise.all([...clients, harm()]);
	log(`${promises.kept.size} executions have ended (${kind}): waiting for their last callbacks`);
	await waitFor('the last callbacks', () => promises.haveArrived()).catch(() => undefined);
	const ends = new Map<string, number>();
	for (const { end } of promises.kept.values()) ends.set(end, (ends.get(end) ?? 0) + 1);
	const lines = [
		`${kind}: ${listed(ends)}; ${AT_ONCE[kind]} at once; ${promises.callbacks.count} callbacks`,
		`harms: ${listed(done)}`,
	];
	return { lines, problems: await promises.check() };
}

function listed(counts: ReadonlyMap<string, number>): string {
	return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}
