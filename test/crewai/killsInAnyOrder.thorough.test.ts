import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { deployApart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { SeededRandom } from '../support/seededRandom';
import { copyProject, PATIENCE, python } from './support/deployment';
import { isAlive, slowProcesses } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

const seed = process.env['SEED'];
const random = new SeededRandom(seed === undefined ? undefined : Number(seed));
const ROUNDS = Number(process.env['ROUNDS'] ?? 8);
/** Milliseconds between two signals, at most. */
const LONGEST_PAUSE = 40;
/** Milliseconds after the last signal in which everything must be gone. */
const LONGEST_END = 15_000;

let model: ScriptedModel;

beforeAll(async () => {
	console.log(`SEED=${random.seed} for the same kills`);
	model = await startScriptedModel(() => ({ tool: 'slow' }));
});
afterAll(() => model.close());

/** Processes whose working directory is a project's folder, such as the host and everything that it starts. */
const processesIn = (folder: string) =>
	readdirSync('/proc')
		.map(Number)
		.filter((pid) => pid > 0 && isAlive(pid) && workingFolder(pid) === folder);

function workingFolder(pid: number): string {
	try {
		return readlinkSync(`/proc/${pid}/cwd`);
	} catch {
		return '';
	}
}

/**
 * Who gets which signals, in which order and after how many milliseconds. The server is always among them, since else
 * another host would come. The reaper is not: what outlives all three is ended by the next server.
 */
function plan() {
	const others = ['host', 'child'];
	const killed = random.shuffle(['server', ...others.filter(() => random.fraction() < 0.6)]);
	const stopped = others.filter(() => random.fraction() < 0.3);
	return [
		...stopped.map((name) => [name, 'SIGSTOP', 0] as const),
		...killed.map((name) => [name, 'SIGKILL', random.integer(0, LONGEST_PAUSE)] as const),
	];
}

it.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
	'leaves no process and no file behind, no matter what is killed or stopped (round %i)',
	async () => {
		const copy = copyProject('workshop', {
			...model.env,
			WORKSHOP_PASSWORD: 'not-needed-here',
		});
		const temporary = mkdtempSync(join(tmpdir(), 'crew-killed-'));
		const apart = await deployApart(
			{ crew: copy.folder, project: { python } },
			{ TMPDIR: temporary },
		);
		await new Client(apart.crew).kickoff({ inputs: { tool: 'slow' } });
		const [child = 0, host = 0, ...others] = await slowProcesses(copy.folder);
		const pids = { server: apart.child.pid ?? 0, host, child };
		expect([...Object.values(pids), ...others].every(isAlive)).toBe(true);
		const signals = plan();
		for (const [name, signal, pause] of signals) {
			await sleep(pause);
			try {
				process.kill(pids[name as keyof typeof pids], signal);
			} catch {
				// What another one's end has ended already.
			}
		}
		const since = performance.now();
		const left = () => [...processesIn(copy.folder), ...readdirSync(temporary)];
		await until(() => left().length === 0, LONGEST_END).catch(() => undefined);
		console.log(`${JSON.stringify(signals)}: ${Math.round(performance.now() - since)} ms`);
		expect({ signals, left: left() }).toEqual({ signals, left: [] });
		rmSync(temporary, { recursive: true });
		copy.remove();
	},
	2 * PATIENCE,
);
