import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CrewServer, ExecutionView } from '../../crew-server/src';
import type { Teardown } from '../../sandbox/src/teardown';

type Deployment = Pick<CrewServer, 'url' | 'accessToken'>;

/** One takes a given time, one asks a person, and one has all sorts of faults. */
export type Deployments = Record<'timed' | 'asking' | 'faulty', Deployment>;

/** What a crew knows about one of its executions. */
export type Seen = Pick<ExecutionView, 'kickoffId' | 'state'> & { topic: string };

interface Answers {
	deployments: Deployments;
	/** The newest 100 of each crew that have ended, and all that have not. */
	executions: Seen[];
	/** Bytes in use after a garbage collection. */
	memory: number;
	faults: true;
}

/** A question to the crews' process. */
export interface Question {
	id: number;
	about: keyof Answers;
	/** The faults to set. */
	faults: string[];
}

/** The crew servers, in a separate process. */
export class Crews {
	/** Every execution of any crew that was ever seen, by its ID. */
	readonly seen = new Map<string, Seen>();
	private constructor(
		private readonly child: ChildProcess,
		/** Their addresses and tokens. */
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

	/** Bytes in use after a garbage collection. */
	async memory(): Promise<number> {
		return await ask(this.child, 'memory');
	}

	/** Sets the faults of the faulty crew from now on. */
	async setFaults(faults: string[]): Promise<void> {
		await ask(this.child, 'faults', faults);
	}

	/** Updates {@link seen}; has to be called before a crew forgets executions that ended meanwhile. */
	async look(): Promise<void> {
		for (const one of await ask(this.child, 'executions')) this.seen.set(one.kickoffId, one);
	}

	/** Ends an execution of the faulty crew, as a person might do. */
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
