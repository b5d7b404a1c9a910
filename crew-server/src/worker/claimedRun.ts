import { setTimeout as sleep } from 'node:timers/promises';

import type { Change } from '../domain/draft';
import { hasEnded, isOpen, type Execution } from '../domain/execution';
import type { Report } from '../domain/messages';
import { transitionAll, type Timed } from '../domain/transitionAll';
import { logEvents, type Log } from '../log';
import type { Claimed, Lease, Store, Stored } from '../store/store';
import type { Cause, Engine, Run, Work } from './engine';
import { upToEndOfTask } from './handover';
import type { Room } from './room';

export interface RunSettings {
	store: Store;
	log: Log;
	room: Room<ClaimedRun>;
	/** Milliseconds in which the store must take a report. Otherwise, the work ends, and starts again later. */
	patience: number;
}

const INTERRUPTED: Report = { type: 'interrupted' };
const REQUEUED: Report = { type: 'requeued' };

interface Entry {
	reports: Timed[];
	resolve: (isTaken: boolean) => void;
}

/** Milliseconds before a write is tried again. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/** An execution that this worker has claimed. The store takes what the engine reports before anyone is told. */
export class ClaimedRun implements Run {
	private stored: Stored;
	private readonly lease: Lease;
	private work: Work | undefined;
	/** Whether the work must end, even if it has not begun yet. */
	private isOver = false;
	private queue: Entry[] = [];
	private writing: Promise<void> | undefined;
	/** Whether another worker should continue once a task has ended. */
	private isLeaving = false;
	private hasLeft = false;
	/** The newest version that the store has reported. */
	private newest: number;
	/** Whether there may be a newer version that it has not reported. */
	private hasToLook = false;
	/** `over`: the execution has ended or waits; `given_up`: the store did not take a report; `lost`: another worker has it. */
	private hold: 'held' | 'over' | 'given_up' | 'lost' = 'held';
	private cause: Cause | undefined;

	/** @param leasedUntil when the work must be over unless the lease was renewed, by the process's own clock */
	constructor(
		private readonly settings: RunSettings,
		{ lease, key, version, execution }: Claimed,
		private leasedUntil = Infinity,
	) {
		this.stored = { key, version, execution };
		this.newest = version;
		this.lease = lease;
	}

	get execution(): Execution {
		return this.stored.execution;
	}

	get key(): number {
		return this.stored.key;
	}

	/** Works up to a question or the end. */
	async workWith(engine: Engine): Promise<void> {
		if (this.isOver || this.hold !== 'held') return;
		this.work = engine.begin(this);
		this.tellLease();
		await this.work.finished;
		await this.writing;
	}

	report(...reports: Report[]): Promise<boolean> {
		// The lease may have ended since the last check.
		this.endIfLapsed();
		if (this.hold !== 'held') return Promise.resolve(false);
		const at = Date.now();
		return new Promise((resolve) => {
			this.queue.push({ reports: reports.map((message) => ({ message, at })), resolve });
			this.writing ??= this.drain();
		});
	}

	explain(cause: Cause): void {
		this.cause = cause;
	}

	printed(lines: readonly string[]): void {
		const { kickoffId: kickoff_id } = this.execution;
		for (const text of lines) this.settings.log.info({ kickoff_id, text }, 'printed');
	}

	yieldSlot(): void {
		this.settings.room.yieldSlot(this);
	}

	regainSlot(): Promise<void> {
		return this.settings.room.regainSlot(this);
	}

	/** Notes that the store has a newer version, perhaps from a client. */
	noteChange(version: number): void {
		this.newest = Math.max(this.newest, version);
		if (this.isBehind()) this.writing ??= this.drain();
	}

	/** Checks whether the store has a newer version. */
	look(): void {
		this.hasToLook = true;
		if (this.isBehind()) this.writing ??= this.drain();
	}

	/** Ends the work at once. */
	end(): void {
		this.isOver = true;
		this.work?.end();
	}

	/** Ends the work when the next task ends, unless nobody else could continue from there. */
	leave(): void {
		this.isLeaving = true;
	}

	/** Notes that the lease was renewed. */
	renewed(until: number): void {
		this.leasedUntil = until;
		this.tellLease();
	}

	/** Ends the work if the lease was not renewed: another worker may be about to take over. */
	endIfLapsed(): void {
		if (this.hold !== 'held' || performance.now() < this.leasedUntil) return;
		this.settings.log.warn({ kickoff_id: this.execution.kickoffId }, 'lease_not_renewed');
		this.hold = 'given_up';
		this.end();
	}

	/** Notes that there was no lease to renew: unless the execution has just ended, here or by a client, another worker has it. */
	async missed(): Promise<void> {
		this.look();
		await this.writing;
		if (this.hold === 'held' && this.execution.state === 'running') this.lose();
	}

	/** Ends the work, which is no longer this worker's. */
	lose(): void {
		this.hold = 'lost';
		this.settings.log.warn({ kickoff_id: this.execution.kickoffId }, 'lease_lost');
		this.end();
	}

	/**
	 * Tells the store that another worker may continue.
	 *
	 * @param isOrderly whether the work was stopped on purpose, to continue later, which does not count as an interruption
	 * @returns whether the store has taken it
	 */
	async release(isOrderly: boolean): Promise<boolean> {
		if (this.hold === 'lost' || this.execution.state !== 'running') return true;
		const reports = [...(isOrderly || this.hasLeft ? [] : [INTERRUPTED]), REQUEUED];
		const entries = reports.map((message) => ({ message, at: Date.now() }));
		return await this.commit(entries).then(
			() => true,
			() => false,
		);
	}

	private tellLease(): void {
		if (this.leasedUntil === Infinity) return;
		this.work?.leased?.(this.leasedUntil - performance.now());
	}

	private async drain(): Promise<void> {
		// All reports of the same turn are written together.
		await Promise.resolve();
		while (this.queue.length > 0 || this.isBehind()) {
			if (this.isBehind()) await this.reload().catch(() => sleep(FIRST_PAUSE));
			const entries = this.queue.splice(0);
			const reports = entries.flatMap((entry) => entry.reports);
			const before = this.mayLeave() ? upToEndOfTask(this.execution, reports) : undefined;
			const isTaken = entries.length > 0 && (await this.write(before ?? reports));
			if (isTaken && before) {
				// Before the engine learns that it may continue.
				this.hasLeft = true;
				this.end();
			}
			for (const { resolve } of entries) resolve(isTaken && !this.hasLeft);
		}
		this.writing = undefined;
	}

	/** Whether another worker is to continue, and could. */
	private mayLeave(): boolean {
		return this.isLeaving && this.work?.isBound !== true;
	}

	private isBehind(): boolean {
		return this.hold === 'held' && (this.hasToLook || this.newest > this.stored.version);
	}

	/** @returns whether the store has taken them */
	private async write(reports: Timed[]): Promise<boolean> {
		const { log, patience } = this.settings;
		const deadline = performance.now() + patience;
		let pause = FIRST_PAUSE;
		while (this.hold === 'held') {
			try {
				return await this.commit(reports);
			} catch (error) {
				const { kickoffId: kickoff_id } = this.execution;
				if (pause === FIRST_PAUSE) log.error({ kickoff_id, err: error }, 'not_written');
				if (performance.now() + pause > deadline) {
					log.error({ kickoff_id }, 'work_given_up');
					this.hold = 'given_up';
					this.end();
				} else {
					await sleep(pause);
					pause = Math.min(pause * 2, LONGEST_PAUSE);
				}
			}
		}
		return false;
	}

	/** @returns whether the execution is still this worker's */
	private async commit(reports: Timed[]): Promise<boolean> {
		for (;;) {
			if (hasEnded(this.execution)) return false;
			const change = transitionAll(this.execution, reports);
			if (change.execution === this.execution) return true;
			const outcome = await this.settings.store.commit(this.stored, change, this.lease);
			if (outcome === 'lost') {
				this.lose();
				return false;
			}
			if (outcome !== 'outdated') {
				this.stored = outcome;
				this.newest = Math.max(this.newest, outcome.version);
				if (this.execution.state !== 'running') this.hold = 'over';
				this.log(change);
				return true;
			}
			await this.reload();
		}
	}

	/** Reads what a client has changed, and passes it on. */
	private async reload(): Promise<void> {
		const before = this.execution;
		// A change while it reads is reported too, and makes it read again.
		this.hasToLook = false;
		const stored = await this.settings.store.getByKey(this.key).catch((error: unknown) => {
			this.hasToLook = true;
			throw error;
		});
		if (!stored) {
			this.lose();
			return;
		}
		this.stored = stored;
		this.tellWork(before);
	}

	private tellWork(before: Execution): void {
		if (hasEnded(this.execution)) {
			this.end();
			return;
		}
		for (const { id, taskId, answer } of this.execution.questions) {
			const wasOpen = before.questions.some((one) => one.id === id && isOpen(one));
			if (wasOpen && answer) this.work?.answered?.(taskId);
		}
	}

	private log({ execution, events }: Change): void {
		const { log } = this.settings;
		const { kickoffId: kickoff_id, error } = execution;
		logEvents(log, events);
		if (execution.state !== 'failed') return;
		log.error({ kickoff_id, reason: this.cause?.reason ?? error }, 'crew_kickoff_failed');
		const traceback = this.cause?.traceback ?? undefined;
		if (traceback !== undefined) log.debug({ kickoff_id, traceback }, 'traceback');
	}
}
