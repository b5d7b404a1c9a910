import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryFolder } from '../../sandbox/src/paths';

/** What a run of the soak was. */
export interface SoakRun {
	/** ISO 8601, without a time. */
	date: string;
	minutes: number;
	seed: number;
	/** Node's version and the processor. */
	machine: string;
}

const ABOUT = {
	operations: `# Everything at once

Ten operations at a time, chosen at random, in the real n8n with SQLite. Each has ended exactly once, in a way that it may, and has started exactly one crew. All of n8n's executions have ended with success, and no memory has grown. "Refused" are kickoffs that came out with a message.`,
	attack: `# A trigger under attack

A Crew Trigger with a callback secret, in the real n8n with SQLite: a quarter right callbacks, a quarter that are right in all but their token, and half garbage. n8n has exactly one execution for each right callback, and none else. No line of its log holds a secret. The times of right callbacks are held against those without an attack; the two take turns, a minute each.`,
};

/** A part's report as a page of `docs/reports/`. */
export function reportPage(
	part: keyof typeof ABOUT,
	{ date, minutes, seed, machine }: SoakRun,
	lines: readonly string[],
): string {
	const run = `${date}: \`npm run test:soak -- --only ${part}\`, ${minutes} minutes, seed ${seed}, ${machine}.`;
	return `${[ABOUT[part], run, lines.join('\n')].join('\n\n')}\n`;
}

/** Writes {@link reportPage} to `docs/reports/`. */
export async function writeReportPage(
	part: keyof typeof ABOUT,
	run: SoakRun,
	lines: readonly string[],
): Promise<void> {
	const file = join(repositoryFolder, 'docs', 'reports', `soak-${part}.md`);
	await writeFile(file, reportPage(part, run, lines));
}
