/**
 * Runs one of this repository's tools, after installing the development packages where they are
 * missing or older than the lockfile: `node sandbox/bootstrap.mjs jest --watch`.
 * Uses nothing but Node itself, since on a fresh clone there is nothing else, and no syntax that an old
 * Node cannot read: that one is to be told which it has to be.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Major and minor version, as `engines` in package.json has them. */
const OLDEST_NODE = [20, 19];
const root = fileURLToPath(new URL('..', import.meta.url));
const installedMark = join(root, 'node_modules', '.installed-lockfile');

function isTooOld(version) {
	const [major, minor] = version.split('.').map(Number);
	return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

function lockfileHash() {
	return createHash('sha256')
		.update(readFileSync(join(root, 'package-lock.json')))
		.digest('hex');
}

function isInstalled() {
	return existsSync(installedMark) && readFileSync(installedMark, 'utf8') === lockfileHash();
}

function installPackages() {
	console.log('Installing the development packages (about a minute, only the first time) ...');
	const { status } = spawnSync('npm', ['install', '--no-save', '--loglevel=error'], {
		cwd: root,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	if (status !== 0) {
		console.error('npm install did not succeed: see its messages above, then try again.');
		process.exit(status || 1);
	}
	writeFileSync(installedMark, lockfileHash());
}

/** Tools keep their caches and scraps in the clone, not in the machine's folder for temporary files. */
function environment() {
	const scraps = join(root, '.sandbox', 'tmp');
	mkdirSync(scraps, { recursive: true });
	return { ...process.env, TMPDIR: scraps, TEMP: scraps, TMP: scraps };
}

function run(tool, args) {
	const command =
		tool === 'tsx'
			? // In this very Node: tsx's own command would kill a child that takes its time to end in order.
				[process.execPath, '--import', import.meta.resolve('tsx'), ...args]
			: [join(root, 'node_modules', '.bin', tool), ...args];
	const child = spawn(command[0], command.slice(1), {
		cwd: process.cwd(),
		env: environment(),
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	// The child decides when to end, and we end with it.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		process.on(signal, () => child.kill(signal));
	}
	child.on('exit', (code, signal) => {
		process.exit(code === null ? (signal === 'SIGINT' ? 130 : 1) : code);
	});
}

if (isTooOld(process.versions.node)) {
	const needed = OLDEST_NODE.join('.');
	console.error(`Node.js ${needed} or newer is needed; this is ${process.versions.node}.`);
	process.exit(1);
}
const [tool, ...args] = process.argv.slice(2);
if (!isInstalled()) installPackages();
run(tool, args);
