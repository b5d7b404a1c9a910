import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MIGRATIONS } from '../../../crew-server/src/store/schema';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { bundled } from '../support/bundled';
import { OBSERVED, type Fleet } from './fleet';
import type { Harm } from './harms';
import { nothingIsLost } from './ownRound';

jest.setTimeout(300_000);

/** Servers of an earlier commit, on one database with current servers. */

/** The last commit with version 7 of the tables. */
const EARLIER = 'e0b620d';

const git = (...args: string[]) =>
	execFileSync('git', ['-C', repositoryFolder, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });

/** A shallow clone may lack it. */
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

/** The program of a fleet's server in that commit, with today's packages. */
function programOf(commit: string, clone: string): string {
	mkdirSync(clone);
	const archive = join(folder, 'clone.tar');
	git('archive', '--output', archive, commit, 'crew-server', 'sandbox', 'test', 'package.json');
	execFileSync('tar', ['-xf', archive, '-C', clone]);
	symlinkSync(join(repositoryFolder, 'node_modules'), join(clone, 'node_modules'));
	return bundled(join(clone, 'test', 'crew-server', 'fleet', 'observed.ts'), clone);
}

/** Starts two current servers, and checks that an earlier one can no longer start. */
async function joinBy(fleet: Fleet): Promise<void> {
	const version = () => fleet.ask('SELECT version FROM schema_version');
	expect(await version()).toEqual([{ version: '7' }]);
	fleet.program = bundled(OBSERVED);
	await Promise.all([fleet.add(), fleet.add()]);
	expect(await version()).toEqual([{ version: String(MIGRATIONS.length) }]);
	fleet.program = earlier;
	const { command } = await fleet.launch();
	await command.ended;
	expect(command.output).toContain('written by a newer crew server: update this one');
	fleet.program = bundled(OBSERVED);
}

const UPGRADES: Harm[] = [
	{
		what: 'they are shut down cleanly and replaced',
		isOrderly: true,
		do: async ({ fleet }) => {
			const old = [...fleet.servers];
			await joinBy(fleet);
			for (const server of old) expect(await fleet.end(server, 'SIGTERM')).toBe(0);
		},
	},
	{
		what: 'one of each version is killed',
		do: async ({ fleet, random }) => {
			const old = random.pick(fleet.servers);
			await joinBy(fleet);
			await fleet.end(old, 'SIGKILL');
			await fleet.end(fleet.servers.at(-1)!, 'SIGKILL');
		},
	},
];

(hasEarlier() ? describe : describe.skip)(
	`servers of the commit ${EARLIER}${hasEarlier() ? '' : ', which this clone lacks,'} and current ones`,
	() => {
		beforeAll(() => {
			folder = mkdtempSync(join(tmpdir(), 'earlier-'));
			earlier = programOf(EARLIER, join(folder, 'clone'));
		});
		afterAll(() => {
			rmSync(folder, { recursive: true });
		});

		it.each(UPGRADES)('lose nothing if $what', async (upgrade) => {
			await nothingIsLost(upgrade, earlier);
		});
	},
);
