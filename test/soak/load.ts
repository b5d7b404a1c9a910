import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../sandbox/src/wait-for';
import type { SeededRandom } from '../support/seededRandom';
import type { Crews, Seen } from './crews';
import { FAULTS, type Kind } from './kinds';
import type { Accounts } from './accounts';

/** Operations at a time: as many as n8n can handle on two cores without a growing queue. */
const WIDTH = 10;
/** Milliseconds. The longest is a parked execution's time limit, which n8n notices up to a minute late. */
const LONGEST = 150_000;
const LOOK_EVERY = 2_000;

/** Starts one operation, with the inputs of its crew. */
export type Start = (inputs: object) => Promise<void>;

/** Starts operations of all kinds, {@link WIDTH} at a time, and waits for their ends. */
export class Load {
	constructor(
		private readonly starts: ReadonlyMap<Kind, Start>,
		private readonly accounts: Accounts,
		private readonly crews: Crews,
		private readonly random: SeededRandom,
	) {}

	/** Begins operations while `goesOn`; resolves when all of them, and their crews, have ended. */
	async run(goesOn: () => boolean): Promise<void> {
		const chances = [...this.starts.keys()].flatMap((kind) =>
			Array.from({ length: kind.weight }, () => kind),
		);
		const lane = async () => {
			while (goesOn()) await this.operate(this.random.pick(chances));
		};
		const lanes = Promise.all(Array.from({ length: WIDTH }, lane));
		const over = new AbortController();
		const trouble = this.trouble(over.signal);
		await lanes.finally(() => {
			over.abort();
		});
		await trouble;
		await this.crewsAtRest();
	}

	private async operate(kind: Kind): Promise<void> {
		const operation = this.accounts.begin(kind);
		await this.starts.get(kind)?.({ topic: operation.name, ...kind.inputs(this.random) });
		await this.accounts.ended(operation, LONGEST);
	}

	/** Sets one fault of the faulty crew after the other, and keeps the list of executions up to date. */
	private async trouble(over: AbortSignal): Promise<void> {
		while (!over.aborted) {
			await this.crews.setFaults([this.random.pick(FAULTS)]);
			await this.crews.look();
			await sleep(LOOK_EVERY, undefined, { signal: over }).catch(() => undefined);
		}
		await this.crews.setFaults([]);
	}

	/**
	 * Waits until no crew is running. A kickoff whose answer was lost may have started one that never ends. The node's
	 * message asks the user to look for it; here, it is stopped.
	 */
	private async crewsAtRest(): Promise<void> {
		const areAtRest = async () => {
			await this.crews.look();
			const running = [...this.crews.seen.values()].filter(isRunning);
			const orphans = running.filter(({ topic }) => this.accounts.wasRefused(topic));
			await Promise.all(orphans.map((one) => this.crews.stop(one)));
			return running.length === 0;
		};
		await waitFor('the crews to have ended', areAtRest, { timeout: LONGEST, interval: 500 });
	}
}

function isRunning({ state }: Seen): boolean {
	return state === 'running' || state === 'pending_human_input';
}
