import type { ExecutionRecord } from './record';

export interface RetentionLimits {
	/** Ended executions that are kept at hand. */
	atHand: number;
	/** Characters of JSON that ended executions at hand may have together. */
	characters: number;
	/** Ended executions that are kept in the journal. */
	inJournal: number;
}

export const DEFAULT_RETENTION: RetentionLimits = {
	atHand: 1_000,
	characters: 256 * 1024 ** 2,
	inJournal: 10_000,
};

/** What is counted of an execution that has ended. */
export interface Ended {
	kickoffId: string;
	/** Of its JSON: inputs can be as large as outputs. */
	characters: number;
}

export function endedOf(execution: ExecutionRecord): Ended {
	return { kickoffId: execution.kickoffId, characters: JSON.stringify(execution).length };
}

/** Tells which ended executions have to make room for newer ones. */
export class Retention {
	private atHand: Ended[] = [];
	private inJournal: string[] = [];
	private characters = 0;

	constructor(private readonly limits: RetentionLimits) {}

	/** Counts an execution that has ended, and tells the identifiers of those that have to go. */
	add(ended: Ended): { fromHand: string[]; fromJournal: string[] } {
		this.atHand.push(ended);
		this.inJournal.push(ended.kickoffId);
		this.characters += ended.characters;
		const fromHand: string[] = [];
		while (this.atHand.length > 1 && this.isFull()) {
			const oldest = this.atHand.shift();
			if (!oldest) break;
			this.characters -= oldest.characters;
			fromHand.push(oldest.kickoffId);
		}
		const tooMany = Math.max(0, this.inJournal.length - this.limits.inJournal);
		return { fromHand, fromJournal: this.inJournal.splice(0, tooMany) };
	}

	private isFull(): boolean {
		return this.atHand.length > this.limits.atHand || this.characters > this.limits.characters;
	}
}
