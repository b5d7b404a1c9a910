import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCached, type CachedInstall } from '../../../sandbox/src/cached-install';
import { cacheFolder } from '../../../sandbox/src/paths';
import { waitFor } from '../../../sandbox/src/wait-for';

const { XDG_CACHE_HOME } = process.env;
let scratch: string;
let manifest: string;

beforeEach(async () => {
	scratch = await mkdtemp(join(tmpdir(), 'cached-install-'));
	process.env.XDG_CACHE_HOME = join(scratch, 'cache');
	manifest = join(scratch, 'manifest');
	await mkdir(manifest);
	for (const file of ['package.json', 'package-lock.json']) {
		await writeFile(join(manifest, file), '{}');
	}
});

afterEach(async () => {
	if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
	else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
	await rm(scratch, { recursive: true, force: true });
});

/** Installs one file, after this promise. */
function install(until: Promise<void> = Promise.resolve()) {
	return jest.fn<Promise<void>, [string]>(async (folder) => {
		await until;
		await writeFile(join(folder, 'installed'), '');
	});
}

const ensure = async (each: CachedInstall['install']) =>
	await ensureCached({ name: 'parts', manifest, install: each });

const inCache = async () => await readdir(cacheFolder());

test('installs once, and again for another lockfile', async () => {
	const once = install();
	const folder = await ensure(once);
	expect(await ensure(once)).toBe(folder);
	expect(once).toHaveBeenCalledTimes(1);
	expect(await readdir(folder)).toEqual(
		expect.arrayContaining(['package.json', 'package-lock.json', 'installed']),
	);

	await writeFile(join(manifest, 'package-lock.json'), '{"lockfileVersion": 3}');
	expect(await ensure(once)).not.toBe(folder);
	expect(once).toHaveBeenCalledTimes(2);
});

test('nobody finds half an installation', async () => {
	let goOn!: () => void;
	const under = ensure(install(new Promise((resolve) => (goOn = resolve))));
	const name = await waitFor('the folder of the installation', async () =>
		existsSync(cacheFolder()) ? (await inCache())[0] : undefined,
	);
	const folder = join(cacheFolder(), /^parts-[0-9a-f]{12}/.exec(name)![0]);
	expect(existsSync(folder)).toBe(false);
	goOn();
	expect(await under).toBe(folder);
	expect(existsSync(join(folder, 'installed'))).toBe(true);
});

test('a failed installation leaves nothing behind, and is tried again', async () => {
	const fails = async () => await Promise.reject(new Error('no network'));
	await expect(ensure(fails)).rejects.toThrow('no network');
	expect(await inCache()).toEqual([]);
	const folder = await ensure(install());
	expect(existsSync(join(folder, 'installed'))).toBe(true);
});

test('of two processes that install at once, the second one uses the first one’s result', async () => {
	const folder = await ensure(install());
	const other = jest.fn(async (unfinished: string) => {
		await writeFile(join(unfinished, 'installed by the other'), '');
	});
	// As if the first one were still running.
	await rm(join(folder, '.complete'));
	const late = ensureCached({
		name: 'parts',
		manifest,
		install: async (unfinished) => {
			await other(unfinished);
			await writeFile(join(folder, '.complete'), '');
		},
	});
	expect(await late).toBe(folder);
	expect(other).toHaveBeenCalledTimes(1);
	expect(await readdir(folder)).not.toContain('installed by the other');
	expect(await inCache()).toHaveLength(1);
});

test('a folder that was never finished is replaced', async () => {
	const folder = await ensure(install());
	await rm(join(folder, '.complete'));
	await writeFile(join(folder, 'half'), '');
	const again = install();
	expect(await ensure(again)).toBe(folder);
	expect(again).toHaveBeenCalledTimes(1);
	expect(await readdir(folder)).not.toContain('half');
});

test('what a killed run left more than a day ago is removed, but not what may still be running', async () => {
	const folder = await ensure(install());
	await rm(folder, { recursive: true });
	const [old, young] = [`${folder}.unfinished-1`, `${folder}.unfinished-2`];
	await mkdir(old);
	await mkdir(young);
	const dayBeforeYesterday = new Date(Date.now() - 48 * 3_600_000);
	await utimes(old, dayBeforeYesterday, dayBeforeYesterday);
	await ensure(install());
	expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});
