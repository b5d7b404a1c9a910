import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SeededRandom } from '../../support/seededRandom';
import { Fleet } from './fleet';
import { SERVERS, type Harm } from './harms';
import { History } from './history';
import { playedWork } from './played';
import { playRound } from './round';

/**
 * A test with its own fleet of played crews, for a harm that cannot be undone.
 *
 * @param program the servers' first program (default: the current one)
 */
export async function nothingIsLost(harm: Harm, program?: string): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'own-round-'));
	const random = new SeededRandom();
	const history = new History(join(folder, 'history.jsonl'));
	const work = playedWork(folder);
	const fleet = await Fleet.open(work.fleet, history, program);
	try {
		await fleet.fill(SERVERS);
		const round = { crew: 'played', names: [harm.what] } as const;
		const settings = { ...work.round, fleet, history, random };
		const { faults, executions } = await playRound(round, settings, [harm]);
		expect([random.seed, faults]).toEqual([random.seed, []]);
		expect(executions).toBeGreaterThan(10);
	} finally {
		await fleet.close();
		rmSync(folder, { recursive: true });
	}
}
