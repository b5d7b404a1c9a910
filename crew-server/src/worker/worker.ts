import { randomUUID } from 'node:crypto';

import { canBePlannedAnew } from '../domain/tasks';
import type { Log } from '../log';
import { LEASE_TIME, type Claimed, type Place, type Store, type StoreChange } from '../store/store';
import { ClaimedRun } from './claimedRun';
import type { Engine } from './engine';
import { Room } from './room';

export interface WorkerSettings {
	store: Store;
	engine: Engine;
	log: Log;
	/** Milliseconds in which the store must take a report; default 30,000. */
	patience?: number;
}

/** Milliseconds between two renewals of all leases, and between two searches for leases that others did not renew. */
const RENEWAL = LEASE_TIME / 3;

/** Milliseconds by which work ends before its lease does, unless that was renewed. */
const MARGIN = LEASE_TIME / 6;
/** Milliseconds between two checks for leases that were not renewed. */
const BETWEEN_LOOKS = 500;

/** Milliseconds after the end of a lease, since clocks differ. */
const AFTER_LAPSE = 50;

/** Milliseconds that work has to end, of which a project's process has 2 seconds; then the engine ends it. */
const LONGEST_END = 2_300;

/** How many are claimed at once. */
const MOST_CLAIMED = 100;

/** Claims executions while its engine has room, and works on them. */
export class Worker {
	private readonly name = randomUUID();
	private readonly runs = new Map<number, ClaimedRun>();
	/** Work that was given up while the store could not be written. */
	private readonly orphans = new Set<ClaimedRun>();
	private readonly working = new Set<Promise<void>>();
	private readonly room: Room<ClaimedRun>;
	private claiming: Promise<void> | undefined;
	private claimAgain = false;
	private timers: NodeJS.Timeout[] = [];
	private lapse: NodeJS.Timeout | undefined;
	private endListening: () => void = () => undefined;
	private isClosing = false;

	/** Whether it claims nothing more. */
	isDraining = false;

	constructor(private readonly settings: WorkerSettings) {
		this.room = new Room(settings.engine.parallel, () => {
			this.claim();
		});
	}

	/** Starts working, including on what an earlier process has left. */
	start(): void {
		this.endListening = this.settings.store.onChange((change) => {
			this.hear(change);
		});
		this.settings.store.offer(() => this.findPlace());
		this.timers = [
			setInterval(() => {
				void this.renew();
			}, RENEWAL),
			setInterval(() => {
				for (const run of this.runs.values()) run.endIfLapsed();
			}, BETWEEN_LOOKS),
		];
		void this.renew();
	}

	/**
	 * Claims nothing more, and releases each execution when its next task (or method of a flow) ends.
	 *
	 * @returns resolves once nothing is left
	 */
	async drain(): Promise<void> {
		this.isDraining = true;
		await this.claiming;
		// Other servers no longer need to leave executions to this one.
		await this.renew();
		for (const run of this.runs.values()) run.leave();
		await Promise.all(this.working);
	}

	/** Ends all work at once; it continues later, here or elsewhere. */
	async close(): Promise<void> {
		this.isClosing = true;
		this.endListening();
		for (const timer of this.timers) clearInterval(timer);
		clearTimeout(this.lapse);
		await this.claiming;
		const leaving = this.settings.store.renew(this.name, false).catch(() => undefined);
		for (const run of this.runs.values()) run.end();
		const late = setTimeout(() => {
			void this.settings.engine.close();
		}, LONGEST_END);
		await Promise.all([leaving, ...this.working]);
		clearTimeout(late);
	}

	/** How many executions it can work on at once, and how many it is working on. */
	get usage(): { parallel: number; running: number } {
		return { parallel: this.settings.engine.parallel, running: this.room.taken };
	}

	private hear(change: StoreChange | undefined): void {
		if (!change) {
			for (const run of this.runs.values()) run.look();
			this.claim();
			return;
		}
		const { key, state, version } = change;
		this.runs.get(key)?.noteChange(version);
		// An execution that ends elsewhere may make room under the limit of all servers.
		if (state !== 'running') this.claim();
	}

	private claim(): void {
		if (this.isClosing || this.isDraining) return;
		if (this.claiming) {
			this.claimAgain = true;
			return;
		}
		this.claimAlone(
			this.claimAll().catch((error: unknown) => {
				// The next renewal tries again.
				this.settings.log.error({ err: error }, 'not_claimed');
			}),
		);
	}

	/** Room for one that is kicked off here, unless something is being claimed that may need it. */
	private findPlace(): Place | undefined {
		if (this.isClosing || this.isDraining || this.claiming || this.room.free === 0)
			return undefined;
		const until = this.leaseEnd();
		let end: () => void = () => undefined;
		this.claimAlone(new Promise((resolve) => (end = resolve)));
		return {
			worker: this.name,
			take: (claimed) => {
				for (const one of claimed) this.begin(one, until);
				end();
			},
		};
	}

	/** Claims nothing else until this has claimed. */
	private claimAlone(claiming: Promise<void>): void {
		this.claiming = claiming.finally(() => {
			this.claiming = undefined;
			if (this.claimAgain) this.claim();
		});
	}

	private async claimAll(): Promise<void> {
		do {
			this.claimAgain = false;
			const limit = Math.min(this.room.free, MOST_CLAIMED);
			if (limit === 0) return;
			const until = this.leaseEnd();
			const claimed = await this.settings.store.claim(this.name, limit);
			for (const one of claimed) this.begin(one, until);
			this.claimAgain ||= claimed.length === limit;
		} while (this.claimAgain && !this.isClosing && !this.isDraining);
	}

	/** When work must be over whose lease starts or is renewed now. In a store that is not shared, there is no limit. */
	private leaseEnd(): number {
		return this.settings.store.isShared ? performance.now() + LEASE_TIME - MARGIN : Infinity;
	}

	private begin(claimed: Claimed, leasedUntil: number): void {
		const { store, log, patience = LEASE_TIME } = this.settings;
		const run = new ClaimedRun({ store, log, room: this.room, patience }, claimed, leasedUntil);
		this.runs.set(run.key, run);
		this.room.enter(run);
		// A client may have changed it just before we listened.
		run.look();
		const work = this.workOn(run, claimed).finally(() => this.working.delete(work));
		this.working.add(work);
	}

	private async workOn(run: ClaimedRun, claimed: Claimed): Promise<void> {
		const { wasInterrupted, execution } = claimed;
		const { log, engine } = this.settings;
		const wasBegun = execution.checkpoint !== undefined || execution.events > 1;
		if (wasInterrupted) await run.report({ type: 'interrupted' });
		if (wasInterrupted || wasBegun) {
			log.info({ kickoff_id: execution.kickoffId }, 'taken_up_again');
		}
		if (claimed.isOfOtherProject) {
			log.warn({ kickoff_id: execution.kickoffId }, 'begun_with_other_version');
		}
		if (claimed.filesAreElsewhere) {
			log.warn({ kickoff_id: execution.kickoffId }, 'files_are_elsewhere');
		}
		if (canBePlannedAnew(run.execution, engine.crew)) {
			const taskUuids = engine.crew.tasks.map(() => randomUUID());
			await run.report({ type: 'planned_anew', crew: engine.crew, taskUuids });
		}
		await run.workWith(engine);
		// If its question was answered meanwhile, another run may have started.
		if (this.runs.get(run.key) === run) this.runs.delete(run.key);
		const isReleased = await run.release(this.isClosing);
		if (!isReleased) this.orphans.add(run);
		this.room.leave(run);
	}

	private async renew(): Promise<void> {
		const { store, log } = this.settings;
		try {
			const until = this.leaseEnd();
			const kept = await store.renew(this.name, !this.isDraining);
			for (const run of this.runs.values()) {
				// An execution that has ended has no lease anymore, although its process may still be ending.
				const version = kept.get(run.key);
				if (version !== undefined) {
					run.renewed(until);
					run.noteChange(version);
				} else if (run.execution.state === 'running') void run.missed();
			}
			await this.awaitLapse();
			for (const run of this.orphans) if (await run.release(false)) this.orphans.delete(run);
			this.claim();
		} catch (error) {
			log.error({ err: error }, 'leases_not_renewed');
		}
	}

	/** Searches for work of others at the moment when their leases may end. */
	private async awaitLapse(): Promise<void> {
		const { store } = this.settings;
		const pause = store.isShared ? await store.nextLapse(this.name) : undefined;
		clearTimeout(this.lapse);
		if (pause === undefined || pause > RENEWAL || this.isClosing) return;
		this.lapse = setTimeout(
			() => {
				this.claim();
			},
			Math.max(0, pause) + AFTER_LAPSE,
		);
	}
}
