import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { makeScratchFolder, remove } from '../../../sandbox/src/scratch-folder';

/** `npm run release`, in a separate repository with the files that a release changes. */

const FILES = [
	...['package.json', 'package-lock.json', '.release-it.json', '.npmrc'],
	...['crew-server/package.json', 'crew-server/setVersion.cjs'],
];
const CHANGELOG =
	'# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Something new.\n\n## [0.0.1] - 2020-01-01\n\n- First.\n';

interface Lock {
	version: string;
	packages: Record<string, { version: string }>;
}

let folder: string;

beforeEach(async () => {
	folder = await makeScratchFolder('release');
	await mkdir(join(folder, 'crew-server'));
	for (const file of FILES) await copyFile(join(repositoryFolder, file), join(folder, file));
	await symlink(join(repositoryFolder, 'node_modules'), join(folder, 'node_modules'));
	await writeFile(join(folder, '.gitignore'), 'node_modules\n');
	await writeFile(join(folder, 'CHANGELOG.md'), CHANGELOG);
	await git('init', '--quiet', '--initial-branch=main');
	await git('add', '.');
	await git('commit', '--quiet', '--message=feat: something new');
});

afterEach(() => remove(folder));

test('makes the version, changelog, commit and tag, and pushes and publishes nothing', async () => {
	const { exitCode } = await release('0.9.0');
	expect(exitCode).toBe(0);

	expect(await versionIn('package.json')).toBe('0.9.0');
	expect(await versionIn('crew-server/package.json')).toBe('0.9.0');
	const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as Lock;
	expect([lock, lock.packages[''], lock.packages['crew-server']]).toMatchObject(
		Array.from({ length: 3 }, () => ({ version: '0.9.0' })),
	);
	const today = new Date().toLocaleDateString('sv');
	const text = await readFile(join(folder, 'CHANGELOG.md'), 'utf8');
	expect(text).toContain(
		`## [Unreleased]\n\n## [0.9.0] - ${today}\n\n### Added\n\n- Something new.`,
	);
	expect(await git('log', '-1', '--format=%s%d')).toBe(
		'chore: release 0.9.0 (HEAD -> main, tag: v0.9.0)',
	);
	expect(await git('status', '--short')).toBe('');
});

test('releases the first version, which package.json already has', async () => {
	const version = await versionIn('package.json');
	await writeFile(join(folder, 'CHANGELOG.md'), CHANGELOG.replace('0.0.1', '0.0.0'));
	await git('commit', '--quiet', '--all', '--message=docs: changelog');
	const { exitCode, all } = await release(version);
	expect([exitCode, all]).toEqual([0, expect.any(String)]);
	expect(await git('tag')).toBe(`v${version}`);
});

test('changes nothing on a dry run', async () => {
	const { exitCode, all } = await release('0.9.0', '--dry-run');
	expect(exitCode).toBe(0);
	expect(all).toContain('- Something new.');
	expect(await git('status', '--short')).toBe('');
	expect(await git('tag')).toBe('');
});

test.each([
	[
		'the changelog has nothing new',
		{ 'CHANGELOG.md': '# Changelog\n\n## [Unreleased]\n\n## [0.0.1] - 2020-01-01\n\n- First.\n' },
		true,
		'no entries',
	],
	['changes are not committed', { 'CHANGELOG.md': `${CHANGELOG}- More.\n` }, false, 'clean'],
])(
	'refuses if %s',
	async (_reason, files, isCommitted, words) => {
		for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
		if (isCommitted) await git('commit', '--quiet', '--all', '--message=docs: changelog');
		const { exitCode, all } = await release('0.9.0');
		expect(exitCode).not.toBe(0);
		expect(all).toContain(words);
		expect(await git('tag')).toBe('');
	},
	60_000,
);

test('refuses on any branch but main', async () => {
	await git('checkout', '--quiet', '-b', 'other');
	const { exitCode, all } = await release('0.9.0');
	expect(exitCode).not.toBe(0);
	expect(all).toContain('main');
});

async function release(...options: string[]): Promise<execa.ExecaReturnValue> {
	const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
		scripts: { release: string };
	};
	const [, , tool = '', ...standing] = scripts.release.split(' ');
	return await execa(tool, [...standing, ...options], {
		cwd: folder,
		env: identity,
		reject: false,
		all: true,
		preferLocal: true,
		localDir: repositoryFolder,
	});
}

const identity = {
	GIT_AUTHOR_NAME: 'A maintainer',
	GIT_AUTHOR_EMAIL: 'maintainer@example.com',
	GIT_COMMITTER_NAME: 'A maintainer',
	GIT_COMMITTER_EMAIL: 'maintainer@example.com',
};

async function git(...command: string[]): Promise<string> {
	return (await execa('git', command, { cwd: folder, env: identity })).stdout;
}

async function versionIn(file: string): Promise<string> {
	return (JSON.parse(await readFile(join(folder, file), 'utf8')) as { version: string }).version;
}
