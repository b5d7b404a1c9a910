import { ClassicLevel } from 'classic-level';
import { chmodSync, mkdirSync } from 'node:fs';

import type { DueCallback } from '../callbacks/callback';
import type { ExecutionRecord, StreamEvent } from '../executions/record';

/** An event with its place among those of its execution, from 0. */
export interface NumberedEvent {
	number: number;
	event: StreamEvent;
}

/** What outlasts the process: executions with their events, and callbacks that are still to be sent. */
export interface Journal {
	/**
	 * Notes an execution as it stands, together with the callbacks and events that belong to that.
	 * What belongs together is kept together: all, or nothing. Of the events, the newest {@link KEPT_EVENTS} are kept.
	 *
	 * @returns once all are kept; all calls in the order in which they were made
	 */
	note(
		execution: ExecutionRecord,
		callbacks: readonly DueCallback[],
		events: readonly NumberedEvent[],
	): Promise<void>;
	/** The events of an execution that are kept, in their order, from a number on. */
	events(kickoffId: string, from: number): AsyncIterable<NumberedEvent> | Iterable<NumberedEvent>;
	/** Forgets a callback: it was delivered, or given up. */
	settle(callbackId: string): void;
	/** Forgets an execution. */
	forget(kickoffId: string): void;
	/** An execution has to make room in memory. */
	release(kickoffId: string): void;
	/** An execution that was noted, as it stood then. */
	read(kickoffId: string): Promise<ExecutionRecord | undefined>;
	/** All executions that are kept, one after the other: there may be more than fit into memory. */
	executions(): AsyncIterable<ExecutionRecord> | Iterable<ExecutionRecord>;
	/** All callbacks that are kept, in the order in which they were due. */
	callbacks(): Promise<DueCallback[]>;
	/** Resolves, and never rejects, once all that was noted is kept, or could not be. */
	flushed(): Promise<void>;
	close(): Promise<void>;
}

/** How many events of one execution are kept. */
export const KEPT_EVENTS = 10_000;

const executionKey = (kickoffId: string) => `execution!${kickoffId}`;
const callbackKey = (id: string) => `callback!${id}`;
const eventKey = (kickoffId: string, number: number) =>
	`event!${kickoffId}!${String(number).padStart(10, '0')}`;
/** The keys of all events of an execution from a number on; `"` is the character after `!`. */
const eventKeys = (kickoffId: string, from = 0) => ({
	gte: eventKey(kickoffId, from),
	lt: `event!${kickoffId}"`,
});

interface Batch {
	/** Written when the batch is, so that many notes of one execution cost one write. */
	executions: Map<string, ExecutionRecord>;
	puts: Map<string, unknown>;
	deletions: Set<string>;
	/** Executions whose events go. */
	forgotten: Set<string>;
	written: Promise<void>;
}

/** Keeps everything in a folder, in LevelDB. One write is under way at a time; the next gathers. */
export class FolderJournal implements Journal {
	private gathering: Batch | undefined;
	private underWay: Promise<void> = Promise.resolve();

	private constructor(private readonly level: ClassicLevel<string, unknown>) {}

	/** @throws {Error} saying why the folder cannot be used: another process keeps its own there, say */
	static async open(folder: string): Promise<FolderJournal> {
		// What it holds is for this user alone.
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		chmodSync(folder, 0o700);
		const level = new ClassicLevel<string, unknown>(folder, { valueEncoding: 'json' });
		try {
			await level.open();
		} catch (error) {
			const cause = (error as Error).cause as { code?: string; message?: string } | undefined;
			const why =
				cause?.code === 'LEVEL_LOCKED'
					? 'is in use by another crew server: end that one'
					: `cannot be read (${cause?.message ?? String(error)}): correct that`;
			throw new Error(`The folder ${folder} ${why}, or give another folder with --data.`);
		}
		return new FolderJournal(level);
	}

	note(
		execution: ExecutionRecord,
		callbacks: readonly DueCallback[],
		events: readonly NumberedEvent[],
	): Promise<void> {
		const { kickoffId } = execution;
		const batch = this.batch();
		batch.executions.set(kickoffId, execution);
		for (const due of callbacks) batch.puts.set(callbackKey(due.id), due);
		for (const { number, event } of events) {
			batch.puts.set(eventKey(kickoffId, number), event);
			if (number >= KEPT_EVENTS) batch.deletions.add(eventKey(kickoffId, number - KEPT_EVENTS));
		}
		return batch.written;
	}

	async *events(kickoffId: string, from: number): AsyncGenerator<NumberedEvent> {
		for await (const [key, event] of this.level.iterator(eventKeys(kickoffId, from))) {
			yield { number: Number(key.split('!').at(-1)), event: event as StreamEvent };
		}
	}

	settle(callbackId: string): void {
		this.batch().deletions.add(callbackKey(callbackId));
	}

	forget(kickoffId: string): void {
		const batch = this.batch();
		batch.executions.delete(kickoffId);
		batch.deletions.add(executionKey(kickoffId));
		batch.forgotten.add(kickoffId);
	}

	release(): void {}

	async read(kickoffId: string): Promise<ExecutionRecord | undefined> {
		return (await this.level.get(executionKey(kickoffId))) as ExecutionRecord | undefined;
	}

	async *executions(): AsyncGenerator<ExecutionRecord> {
		for await (const execution of this.level.values({ gte: 'execution!', lt: 'execution"' })) {
			yield execution as ExecutionRecord;
		}
	}

	async callbacks(): Promise<DueCallback[]> {
		const all = await this.level.values({ gte: 'callback!', lt: 'callback"' }).all();
		return (all as DueCallback[]).sort((one, other) => one.sequence - other.sequence);
	}

	async flushed(): Promise<void> {
		await Promise.allSettled([this.gathering?.written, this.underWay]);
	}

	async close(): Promise<void> {
		// What could not be written is its callers' concern; the folder is let go of in any case.
		await this.flushed();
		await this.level.close();
	}

	private batch(): Batch {
		if (this.gathering) return this.gathering;
		const written = this.underWay.then(() => this.write());
		// A write that does not work, on a full disk say, is its own callers' concern, not the next one's.
		this.underWay = written.catch(() => undefined);
		this.gathering = {
			executions: new Map(),
			puts: new Map(),
			deletions: new Set(),
			forgotten: new Set(),
			written,
		};
		return this.gathering;
	}

	private async write(): Promise<void> {
		const batch = this.gathering;
		this.gathering = undefined;
		if (!batch) return;
		const entries = [
			...[...batch.executions].map(([id, value]) => [executionKey(id), value] as const),
			...batch.puts,
		];
		await this.level.batch([
			...entries.map(([key, value]) => ({ type: 'put' as const, key, value })),
			...[...batch.deletions].map((key) => ({ type: 'del' as const, key })),
		]);
		for (const kickoffId of batch.forgotten) await this.level.clear(eventKeys(kickoffId));
	}
}
