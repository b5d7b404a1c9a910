import { appendFileSync, existsSync, readFileSync } from 'node:fs';

import { describeCommit } from '../../../sandbox/src/commit';
import type { Round } from './plan';
import type { Outcome } from './round';

/** An outcome with its origin. */
export interface KeptOutcome extends Outcome {
	/** From {@link describeCommit}. */
	commit: string;
	seed: number;
}

/** The outcomes of all rounds; with a file, of several runs. */
export class Outcomes {
	readonly all: KeptOutcome[] = [];

	/** @param file a file with one outcome a line, in JSON (default: nothing is kept) */
	constructor(private readonly file?: string) {
		if (file === undefined || !existsSync(file)) return;
		const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
		this.all = lines.map((line) => JSON.parse(line) as KeptOutcome);
	}

	has({ crew, names }: Round): boolean {
		return this.all.some((one) => one.crew === crew && one.names.join() === names.join());
	}

	add(outcome: Outcome, seed: number): void {
		const kept = { ...outcome, commit: describeCommit(), seed };
		this.all.push(kept);
		if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(kept)}\n`);
	}
}
