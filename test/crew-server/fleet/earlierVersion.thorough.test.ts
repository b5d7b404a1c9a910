import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MIGRATIONS } from '../../../crew-server/src/store/schema';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { SeededRandom } from '../../support/seededRandom';
import { bundled } from '../support/bundled';
import { Fleet, OBSERVED } from './fleet';
import { SERVERS, type Harm } from './harms';
import { History } from './history';
import { playedWork } from './played';
import { playRound } from './round';

/** Servers as an earlier commit has them, on one database with servers of today. */

/** The last commit whose tables are of version 7. */
const EARLIER = 'e0b620d';

const git = (...args: string[]) =>
	execFileSync('git', ['-C', repositoryFolder, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });

/** A clone may lack what came before. */
function hasEarlier(): boolean {
	try {
		git('cat-file', '-e', `${EARLIER}^{commit}`);
		return true;
	} catch {
		return false;
	}
}

let folder: string;
let earlier: string;
let fleet: Fleet;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'earlier-'));
	if (hasEarlier()) earlier = programOf(EARLIER, join(folder, 'clone'));
});
afterEach(() => fleet.close());
afterAll(() => {
	rmSync(folder, { recursive: true });
});

/** What a server of a fleet ran then, with the packages of today. */
function programOf(commit: string, clone: string): string {
	mkdirSync(clone);
	const archive = join(folder, 'clone.tar');
	git('archive', '--output', archive, commit, 'crew-server', 'sandbox', 'test', 'package.json');
	execFileSync('tar', ['-xf', archive, '-C', clone]);
	symlinkSync(join(repositoryFolder, 'node_modules'), join(clone, 'node_modules'));
	return bundled(join(clone, 'test', 'crew-server', 'fleet', 'observed.ts'), clone);
}

const UPGRADES: Array<[string, Omit<Harm, 'what'>]> = [
	[
		'are replaced by others of today',
		{
			isOrderly: true,
			do: async () => {
				for (const server of [...fleet.servers]) {
					await fleet.add();
					expect(await fleet.end(server, 'SIGTERM')).toBe(0);
				}
			},
		},
	],
	[
		'work beside others of today while one of each is killed',
		{
			do: async ({ random }) => {
				const old = random.pick(fleet.servers);
				const [next] = [await fleet.add(), await fleet.add()];
				await fleet.end(old, 'SIGKILL');
				await fleet.end(next, 'SIGKILL');
			},
		},
	],
];

(hasEarlier() ? describe : describe.skip)(
	`three servers of the commit ${EARLIER}${hasEarlier() ? '' : ', which this clone lacks,'}`,
	() => {
		it.each(UPGRADES)('%s, and nothing is lost', async (what, harm) => {
			const random = new SeededRandom();
			const history = new History(join(folder, 'history.jsonl'));
			const work = playedWork(folder);
			fleet = await Fleet.open(work.fleet, history, earlier);
			await fleet.fill(SERVERS);
			const version = () => fleet.ask('SELECT version FROM schema_version');
			expect(await version()).toEqual([{ version: '7' }]);
			fleet.program = bundled(OBSERVED);
			const settings = { ...work.round, fleet, history, random };
			const round = { crew: 'played', names: [what] } as const;
			const { faults, executions } = await playRound(round, settings, [{ what, ...harm }]);
			expect([random.seed, faults]).toEqual([random.seed, []]);
			expect(executions).toBeGreaterThan(10);
			expect(await version()).toEqual([{ version: String(MIGRATIONS.length) }]);
			fleet.program = earlier;
			const { command } = await fleet.launch();
			await command.ended;
			expect(command.output).toContain('written by a newer crew server: update this one');
		});
	},
);
