import type { DueCallback } from '../callbacks/callback';
import type { ExecutionRecord } from '../executions/record';
import { KEPT_EVENTS, type Journal, type NumberedEvent } from './journal';

/** Keeps events as long as the process lives, and nothing beyond it. */
export class MemoryJournal implements Journal {
	private readonly kept = new Map<string, NumberedEvent[]>();

	note(
		{ kickoffId }: ExecutionRecord,
		_callbacks: readonly DueCallback[],
		events: readonly NumberedEvent[],
	): Promise<void> {
		if (events.length === 0) return Promise.resolve();
		const all = this.kept.get(kickoffId) ?? [];
		this.kept.set(kickoffId, all);
		all.push(...events);
		all.splice(0, all.length - KEPT_EVENTS);
		return Promise.resolve();
	}

	events(kickoffId: string, from: number): NumberedEvent[] {
		const all = this.kept.get(kickoffId) ?? [];
		// Their numbers have no gaps.
		return all.slice(Math.max(0, from - (all[0]?.number ?? 0)));
	}

	settle(): void {}

	forget(kickoffId: string): void {
		this.kept.delete(kickoffId);
	}

	release(kickoffId: string): void {
		this.forget(kickoffId);
	}

	read(): Promise<undefined> {
		return Promise.resolve(undefined);
	}

	executions(): ExecutionRecord[] {
		return [];
	}

	callbacks(): Promise<DueCallback[]> {
		return Promise.resolve([]);
	}

	flushed(): Promise<void> {
		return Promise.resolve();
	}

	close(): Promise<void> {
		return Promise.resolve();
	}
}
