import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { HOSTILE_BODIES } from '../../crew-server/operator/support/hostileBodies';
import type { ProjectFolder } from '../../crew-server/operator/support/projectFolder';
import { limitFiles } from '../../crew-server/support/limitFiles';
import type { SeededRandom } from '../../support/seededRandom';
import type { Body } from './patientClient';
import type { Promises } from './promises';
import type { ServedAgain } from './servedAgain';

/** Milliseconds between two harms, and the duration of one. */
const PAUSE = [1_000, 6_000] as const;
const HARM = 1_500;
/** The most milliseconds by which a clock is set forward or back. */
const CLOCK = 3_600_000;

/** How many executions can wait at a server that runs a project. */
export const LINE = 60;

/** A harm to a server, with a random number for its details. */
export interface Planned {
	pause: number;
	name: string;
	/** From 0 to 1. */
	chance: number;
}

/** Everything that will be done within this many milliseconds, whatever the effects. */
export function planned(
	names: readonly string[],
	duration: number,
	random: SeededRandom,
): Planned[] {
	const plan: Planned[] = [];
	for (let time = 0; time < duration; time += plan.at(-1)?.pause ?? 0) {
		plan.push({
			pause: random.integer(...PAUSE),
			name: random.pick(names),
			chance: random.fraction(),
		});
	}
	return plan;
}

type Harms = Record<string, (chance: number) => Promise<void>>;

/** Harms to any server. */
export function harmsOf(server: ServedAgain, promises: Promises, clock: string): Harms {
	return {
		kill: () => server.kill(),
		restart: async () => {
			const problem = await server.restart();
			if (problem !== undefined) promises.note(problem);
		},
		hang: async () => {
			server.signal('SIGSTOP');
			await sleep(HARM);
			server.signal('SIGCONT');
		},
		fullDisk: async () => {
			const { pid } = server;
			limitFiles(pid, 1);
			await sleep(HARM);
			limitFiles(pid, 'unlimited');
		},
		closedOutput: async () => {
			server.stopReading();
			await sleep(HARM);
		},
		hangup: async () => {
			server.signal('SIGHUP');
			await sleep(HARM);
		},
		clock: async (chance) => {
			writeFileSync(clock, String(Math.round((2 * chance - 1) * CLOCK)));
			await sleep(HARM);
		},
		hostileBody: async (chance) => {
			await sendHostile(promises, chance);
		},
		deletion: () => promises.forgetSome(),
		slowReaders: (chance) => promises.readSlowly(chance),
	};
}

/** Harms to a server that runs a project. */
export function harmsOfHost(
	server: ServedAgain,
	promises: Promises,
	project: ProjectFolder,
): Harms {
	const host = (signal: NodeJS.Signals) => {
		try {
			process.kill(project.starts.at(-1)?.pid ?? 0, signal);
		} catch {
			// It has ended by itself.
		}
	};
	const behaving = async (...behavior: string[]) => {
		project.behave(...behavior);
		host('SIGKILL');
		await sleep(HARM);
		project.behave();
	};
	return {
		hostDies: async () => {
			host('SIGKILL');
			await sleep(HARM);
		},
		hostHangs: async () => {
			host('SIGSTOP');
			await sleep(HARM);
		},
		hostDiesAgain: () => behaving('dies'),
		hostRefuses: () => behaving('refuses'),
		childrenClose: async () => {
			project.behave('child closes');
			await sleep(HARM);
			project.behave();
		},
		fullLine: () => fillLine(promises),
		hostAndServer: async () => {
			host('SIGKILL');
			await server.kill();
		},
	};
}

/** Sends a hostile body, and removes an execution that it may have started. */
async function sendHostile(promises: Promises, chance: number): Promise<void> {
	const { client } = promises;
	const [name, body] = HOSTILE_BODIES[Math.floor(chance * HOSTILE_BODIES.length)]!;
	const { status, text } = await client.ask('POST', '/kickoff', body());
	const isAnswered = status < 500 || status === 503;
	if (!isAnswered) promises.note(`${name} is answered with ${status}: ${text}`);
	if (status !== 200) return;
	await remove(promises, text);
}

/** Kicks off more executions than can wait, and removes those that were accepted. */
async function fillLine(promises: Promises): Promise<void> {
	const { client } = promises;
	const kickoffs = Array.from({ length: 2 * LINE }, () =>
		client.ask('POST', '/kickoff', '{"inputs":{}}'),
	);
	const answers = await Promise.all(kickoffs);
	for (const { status, text } of answers) {
		if (![0, 200, 503].includes(status)) promises.note(`A full line answers ${status}: ${text}`);
	}
	const taken = answers.filter(({ status }) => status === 200);
	await Promise.all(taken.map(({ text }) => remove(promises, text)));
}

/** @param kickoff the answer to a kickoff */
async function remove({ client }: Promises, kickoff: string): Promise<void> {
	const id = String((JSON.parse(kickoff) as Body)['kickoff_id']);
	await client.untilDone('POST', `/stop/${id}`, undefined, {}, 400);
	await client.untilDone('DELETE', `/${id}`, undefined, {}, 404);
}
