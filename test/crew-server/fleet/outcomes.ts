import { appendFileSync, existsSync, readFileSync } from 'node:fs';

import { describeCommit } from '../../../sandbox/src/commit';
import type { Round } from './plan';
import type { Outcome } from './round';

/** An outcome with what it was made from. */
export interface KeptOutcome extends Outcome {
	/** As {@link describeCommit} tells it. */
	commit: string;
	seed: number;
}

/** What has come of each round; in a file, also over several runs. */
export class Outcomes {
	readonly all: KeptOutcome[] = [];

	/** @param file one outcome in JSON a line (default: nothing is kept) */
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
