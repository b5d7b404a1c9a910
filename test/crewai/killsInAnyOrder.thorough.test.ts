import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { deployApart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { SeededRandom } from '../support/seededRandom';
import { copyProject, PATIENCE, python, type ProjectCopy } from './support/deployment';
import { isAlive, reapersOf, slowProcesses } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

const seed = process.env['SEED'];
const random = new SeededRandom(seed === undefined ? undefined : Number(seed));
const ROUNDS = Number(process.env['ROUNDS'] ?? 25);
/** Milliseconds between two signals, at most. */
const LONGEST_PAUSE = 40;
/** Milliseconds after the last signal in which all has to be gone. */
const LONGEST_END = 15_000;

let model: ScriptedModel;
let copy: ProjectCopy;

beforeAll(async () => {
	console.log(`SEED=${random.seed} for the same kills`);
	model = await startScriptedModel(() => ({ tool: 'slow' }));
	copy = copyProject('workshop', { ...model.env, WORKSHOP_PASSWORD: 'not-needed-here' });
});
afterAll(async () => {
	await model.close();
	copy.remove();
});

/** Processes that work in the project's folder, as the host does and all that it starts. */
const inFolder = () =>
	readdirSync('/proc')
		.map(Number)
		.filter((pid) => pid > 0 && isAlive(pid) && workingFolder(pid) === copy.folder);

function workingFolder(pid: number): string {
	try {
		return readlinkSync(`/proc/${pid}/cwd`);
	} catch {
		return '';
	}
}

/** Who gets which signals, in which order and after how many milliseconds. */
function plan() {
	// If nobody is left of the server, the host and its reaper, the next server ends what those leave.
	const others = random.pick([
		['host', 'child'],
		['reaper', 'child'],
	]);
	// Without the server's end, another host would come.
	const killed = random.shuffle(['server', ...others.filter(() => random.fraction() < 0.6)]);
	const stopped = others.filter((name) => name !== 'reaper' && random.fraction() < 0.3);
	return [
		...stopped.map((name) => [name, 'SIGSTOP', 0] as const),
		...killed.map((name) => [name, 'SIGKILL', random.integer(0, LONGEST_PAUSE)] as const),
	];
}

it.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
	'leaves no process and no file behind, whoever is killed or stopped (round %i)',
	async () => {
		const temporary = mkdtempSync(join(tmpdir(), 'crew-killed-'));
		const apart = await deployApart(
			{ crew: copy.folder, project: { python } },
			{ TMPDIR: temporary },
		);
		await new Client(apart.crew).kickoff({ inputs: { tool: 'slow' } });
		const [child = 0, host = 0, ...others] = await slowProcesses(copy.folder);
		const [reaper = 0] = reapersOf(apart.child.pid);
		const pids = { server: apart.child.pid ?? 0, reaper, host, child };
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
		// Nobody else would know of a server's folder that its host's reaper was not there to remove.
		const isReaped = signals.every(([name]) => name !== 'reaper');
		const left = () => [...inFolder(), ...(isReaped ? readdirSync(temporary) : [])];
		await until(() => left().length === 0, LONGEST_END).catch(() => undefined);
		console.log(`${JSON.stringify(signals)}: ${Math.round(performance.now() - since)} ms`);
		expect({ signals, left: left() }).toEqual({ signals, left: [] });
		rmSync(temporary, { recursive: true });
	},
	2 * PATIENCE,
);
