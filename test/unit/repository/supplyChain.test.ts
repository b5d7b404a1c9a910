import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');

type Dependencies = Record<string, string>;

interface Manifest {
	version?: string;
	private?: boolean;
	workspaces?: string[];
	dependencies?: Dependencies;
	devDependencies?: Dependencies;
	optionalDependencies?: Dependencies;
	peerDependencies?: Dependencies;
	bundleDependencies?: unknown;
	bundledDependencies?: unknown;
	scripts?: Record<string, string>;
}

interface LockedPackage extends Manifest {
	link?: boolean;
	integrity?: string;
	resolved?: string;
}

const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const readManifest = (folder: string) => read(join(folder, 'package.json')) as Manifest;
const readLock = (folder: string) =>
	(read(join(folder, 'package-lock.json')) as { packages: Record<string, LockedPackage> }).packages;

const published = readManifest('.');
const workspaces = published.workspaces ?? [];
/** Every package of the repository. */
const folders = execFileSync('git', ['ls-files', 'package.json', '**/package.json'], { cwd: ROOT })
	.toString()
	.trim()
	.split('\n')
	.map(dirname);
const privateFolders = folders.filter((folder) => !['.', 'crew-server'].includes(folder));

/** All the packages that a package wants to be installed. */
function wishes({ dependencies, devDependencies, optionalDependencies }: Manifest): Dependencies {
	return { ...dependencies, ...devDependencies, ...optionalDependencies };
}

describe('the published package', () => {
	it('has no dependencies, so that an audit has nothing to find', () => {
		expect(published.dependencies).toBeUndefined();
		expect(published.optionalDependencies).toBeUndefined();
		expect(published.bundleDependencies ?? published.bundledDependencies).toBeUndefined();
		expect(published.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});

	it('runs no code during the installation', () => {
		const whileInstalling = /^(pre|post)?(install|prepare|uninstall)$/;
		expect(
			Object.keys(published.scripts ?? {}).filter((name) => whileInstalling.test(name)),
		).toEqual([]);
	});
});

describe('the crew server', () => {
	const server = readManifest('crew-server');

	it('has the node’s version, has few dependencies, and runs no code during the installation', () => {
		expect(server.version).toBe(published.version);
		expect(Object.keys(server.dependencies ?? {})).toHaveLength(7);
		expect(server.optionalDependencies ?? server.scripts).toBeUndefined();
		// For starting it from its sources, and for building its page.
		expect(Object.keys(server.devDependencies ?? {})).toEqual([
			'diff',
			'dompurify',
			'esbuild',
			'marked',
			'preact',
			'tsx',
		]);
	});

	it('depends on everything that it imports, and on nothing else', () => {
		const imported = execFileSync('git', ['grep', '-hoE', "from '[^.'][^']*'", 'crew-server/src'], {
			cwd: ROOT,
		});
		const names = [...imported.toString().matchAll(/from '((?:@[^/']+\/)?[^/']+)/g)].map(
			([, name]) => name,
		);
		const others = new Set(names.filter((name = '') => !name.startsWith('node:')));
		const asked = { ...server.dependencies, ...server.peerDependencies };
		expect([...others].sort()).toEqual(Object.keys(asked).sort());
	});
});

describe('the private packages', () => {
	it('cannot be published', () => {
		expect(privateFolders.length).toBeGreaterThanOrEqual(3);
		expect(privateFolders.filter((folder) => readManifest(folder).private !== true)).toEqual([]);
	});

	it.each(folders)('%s has a lockfile that matches its dependencies', (folder) => {
		const isWorkspace = workspaces.includes(folder);
		const locked = isWorkspace ? readLock('.')[folder] : readLock(folder)[''];
		expect(wishes(locked ?? {})).toEqual(wishes(readManifest(folder)));
	});
});

describe.each(folders.filter((folder) => !workspaces.includes(folder)))(
	'the lockfile of %s',
	(folder) => {
		const fromElsewhere = Object.entries(readLock(folder)).filter(
			([path, { link }]) => path.includes('node_modules/') && link !== true,
		);

		it('has a hash for the content of each package', () => {
			expect(fromElsewhere.length).toBeGreaterThanOrEqual(
				Object.keys(wishes(readManifest(folder))).length,
			);
			const without = fromElsewhere.filter(([, { integrity = '' }]) => !/^sha512-/.test(integrity));
			expect(without.map(([path]) => path)).toEqual([]);
		});

		it('takes all of them from the registry', () => {
			const isElsewhere = ({ resolved }: LockedPackage) =>
				resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/');
			expect(fromElsewhere.filter(([, entry]) => isElsewhere(entry))).toEqual([]);
		});
	},
);

describe('docs/reports/packages.md', () => {
	/** Package -> the reason in its line. */
	const reasons = new Map<string, string>();
	const page = readFileSync(join(ROOT, 'docs', 'reports', 'packages.md'), 'utf8');
	for (const line of page.split('\n')) {
		const [, names = '', why = ''] = /^- (`[^:]+): (.+)$/.exec(line) ?? [];
		for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) reasons.set(name, why.trim());
	}
	const installed = new Set(folders.flatMap((folder) => Object.keys(wishes(readManifest(folder)))));

	it('says why each package is there', () => {
		expect([...installed].filter((name) => !reasons.get(name))).toEqual([]);
	});

	it('names no package that is gone', () => {
		expect([...reasons.keys()].filter((name) => !installed.has(name))).toEqual([]);
	});
});
