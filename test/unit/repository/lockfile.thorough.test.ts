import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa from 'execa';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** The files of a fresh clone that npm reads, and nothing else; npm itself says what it would install. */

let clone: string;
beforeAll(() => {
	clone = mkdtempSync(join(tmpdir(), 'lockfile-'));
	const files = ['.npmrc', 'package.json', 'package-lock.json'];
	for (const file of [...files, 'crew-server/package.json', 'sandbox/package.json']) {
		cpSync(join(repositoryFolder, file), join(clone, file), { recursive: true });
	}
});
afterAll(() => {
	rmSync(clone, { recursive: true });
});

async function added(...command: string[]): Promise<string[]> {
	const { stdout } = await execa('npm', [...command, '--dry-run', '--offline'], { cwd: clone });
	return [...stdout.matchAll(/^add (\S+)/gm)].map(([, name = '']) => name);
}

// npm refuses a lockfile that lacks an optional package of any platform.
test('`npm ci` accepts the lockfile', async () => {
	expect((await added('ci')).length).toBeGreaterThan(1_000);
});

test('`npm run crew` installs what the server needs, and none of the repository’s tools', async () => {
	const packages = await added('install', '--no-save', '--workspace', 'crew-server');
	expect(packages).toEqual(
		expect.arrayContaining(['fastify', '@photostructure/sqlite', 'tsx', 'esbuild']),
	);
	expect(packages.filter((name) => /jest|eslint|n8n|gulp/.test(name))).toEqual([]);
	expect(packages.length).toBeLessThan(100);
});
