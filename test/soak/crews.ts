import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CrewServer, ExecutionView } from '../../crew-server/src';
import type { Teardown } from '../../sandbox/src/teardown';

type Deployment = Pick<CrewServer, 'url' | 'accessToken'>;

/** One takes as long as it is told, one asks a person, and of one all sorts of things go wrong. */
export type Deployments = Record<'timed' | 'asking' | 'faulty', Deployment>;

/** What a crew knows of one of its executions. */
export type Seen = Pick<ExecutionView, 'kickoffId' | 'state'> & { topic: string };

interface Answers {
	deployments: Deployments;
	/** Those at hand: the newest 100 of each crew that have ended, and all that are under way. */
	executions: Seen[];
	/** Bytes in use once all garbage is gone. */
	memory: number;
	faults: true;
}

/** What the process of the crews is asked. */
export interface Question {
	id: number;
	about: keyof Answers;
	/** The faults to set. */
	faults: string[];
}

/** The crew servers, in a process of their own. */
export class Crews {
	/** Every execution that any of the crews was ever seen to have, by its ID. */
	readonly seen = new Map<string, Seen>();
	private constructor(
		private readonly child: ChildProcess,
		/** Where they are. */
		readonly deployments: Deployments,
	) {}

	static async start(teardown: Teardown): Promise<Crews> {
		const script = join(__dirname, 'crewProcess.ts');
		const child = fork(script, { execArgv: ['--expose-gc', '--import', 'tsx'] });
		teardown.add(async () => {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const gone = once(child, 'exit');
			child.kill('SIGKILL');
			await gone;
		});
		return new Crews(child, await ask(child, 'deployments'));
	}

	/** Bytes in use once all garbage is gone. */
	async memory(): Promise<number> {
		return await ask(this.child, 'memory');
	}

	/** What the faulty crew does wrong from now on. */
	async setFaults(faults: string[]): Promise<void> {
		await ask(this.child, 'faults', faults);
	}

	/** Brings {@link seen} up to date; has to be called before a crew has forgotten what ended meanwhile. */
	async look(): Promise<void> {
		for (const one of await ask(this.child, 'executions')) this.seen.set(one.kickoffId, one);
	}

	/** Ends an execution of the faulty crew, as a person does who looks after it. */
	async stop({ kickoffId }: Seen): Promise<void> {
		const { url, accessToken } = this.deployments.faulty;
		const headers = { authorization: `Bearer ${accessToken}` };
		await fetch(`${url}/stop/${kickoffId}`, { method: 'POST', headers });
	}
}

let lastQuestion = 0;

async function ask<About extends keyof Answers>(
	child: ChildProcess,
	about: About,
	faults: string[] = [],
): Promise<Answers[About]> {
	const id = ++lastQuestion;
	return await new Promise((resolve, reject) => {
		const gone = () => {
			reject(new Error('The process of the crew servers has ended'));
		};
		const listen = (message: { id: number; answer: Answers[About] }) => {
			if (message.id !== id) return;
			child.off('message', listen).off('exit', gone);
			resolve(message.answer);
		};
		child.on('message', listen).once('exit', gone);
		child.send({ id, about, faults } satisfies Question);
	});
}
