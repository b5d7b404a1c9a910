import { randomUUID } from 'node:crypto';
import type { ExecutionState } from '../../../crew-server/src/domain/execution';
import { kickoff } from '../../../crew-server/src/domain/kickoff';
import type { Report } from '../../../crew-server/src/domain/messages';
import type { Store } from '../../../crew-server/src/store/store';
import type { Engine, Run, Work } from '../../../crew-server/src/worker/engine';

const CREW = {
	name: 'desk',
	inputs: [],
	tasks: ['draft', 'edit'].map((name) => ({
		name,
		description: 'Work',
		expectedOutput: 'A text',
		agent: 'Writer',
	})),
};

/** Puts an execution of {@link CREW} into a store, for a worker. */
export async function kickOffIn(store: Store): Promise<string> {
	const kickoffId = randomUUID();
	const order = { kickoffId, taskUuids: [], owner: 'user', inputs: {}, callbacks: {} } as const;
	await store.create(kickoff(CREW, order, Date.now()));
	return kickoffId;
}

export async function stateIn(store: Store, id: string): Promise<ExecutionState | undefined> {
	return (await store.get(id))?.execution.state;
}

/** An engine that does nothing by itself: a test reports for it. */
export class Puppet implements Engine {
	readonly crew = CREW;
	readonly runs: Run[] = [];
	readonly answers: string[] = [];
	ended = 0;
	isBound = false;
	private finish: () => void = () => undefined;

	constructor(readonly parallel = 10) {}

	begin(run: Run): Work {
		this.runs.push(run);
		const finished = new Promise<void>((resolve) => (this.finish = resolve));
		const { finish, isBound } = this;
		return {
			finished,
			isBound,
			answered: (taskId) => {
				this.answers.push(taskId);
			},
			end: () => {
				this.ended += 1;
				finish();
			},
		};
	}

	close(): Promise<void> {
		return Promise.resolve();
	}

	/** Ends the newest work, once all reports are stored. */
	async over(...reports: Report[]): Promise<void> {
		await this.runs.at(-1)?.report(...reports);
		this.finish();
	}
}
