/**
 * Runs one of this repository's tools, after installing the development packages if they are missing or older than
 * the lockfile: `node sandbox/bootstrap.mjs jest --watch`. With `--only <workspace>` it installs no more than that
 * workspace's own packages.
 * Uses only Node itself, since a fresh clone has nothing else, and only syntax that an old Node can read, so that it
 * can say which Node is needed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
// An old Node lacks some of these functions, and would refuse to import them by name.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const sleep = promisify(setTimeout);

/** Major and minor version, as `engines` in package.json has them. */
const OLDEST_NODE = [20, 19];
/** `<purpose>-<process id>-<six characters>`: folders with such names are removed once that process is gone. */
const SCRATCH_IN_CLONE = /^[a-z]+-(\d+)-\w{6}$/;
const SCRATCH_ELSEWHERE = /^n8n-nodes-crew-(\d+)-\w{6}$/;
/** A socket's path can have about 100 characters, and Chromium needs half of them for itself. */
const LONGEST_PARENT = 30;
const root = fileURLToPath(new URL('..', import.meta.url));
const installedMark = join(root, 'node_modules', '.installed-lockfile');

function isTooOld(version) {
	const [major, minor] = version.split('.').map(Number);
	return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

function lockfileHash() {
	return createHash('sha256')
		.update(fs.readFileSync(join(root, 'package-lock.json')))
		.digest('hex');
}

/** Whether the last installation was of this lockfile, and had all workspaces or this one. */
function isInstalled(workspace) {
	if (!fs.existsSync(installedMark)) return false;
	const [hash, only] = fs.readFileSync(installedMark, 'utf8').split(' ');
	return hash === lockfileHash() && (only === undefined || only === workspace);
}

function installPackages(workspace) {
	const what = workspace === undefined ? 'the development packages' : `what ${workspace} needs`;
	const time = workspace === undefined ? 'about a minute' : 'a few seconds';
	console.log(`Installing ${what} (${time}, only the first time) ...`);
	const only = workspace === undefined ? [] : ['--workspace', workspace];
	const { status } = spawnSync('npm', ['install', '--no-save', '--loglevel=error', ...only], {
		cwd: root,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	if (status !== 0) {
		console.error('npm install did not succeed: see its messages above, then try again.');
		process.exit(status || 1);
	}
	fs.writeFileSync(installedMark, [lockfileHash(), ...only.slice(1)].join(' '));
}

/**
 * A folder for the tool's temporary files, in the machine's own, since the clone's path may be too long for sockets.
 * The process that makes it removes it at the end.
 */
function makeTemporaryFolder() {
	const isShort = tmpdir().length <= LONGEST_PARENT || process.platform === 'win32';
	const parent = isShort ? tmpdir() : '/tmp';
	removeLeftovers(parent, SCRATCH_ELSEWHERE);
	const folder = fs.mkdtempSync(join(parent, `n8n-nodes-crew-${process.pid}-`));
	// PostgreSQL may run as another user and needs access.
	fs.chmodSync(folder, 0o711);
	return folder;
}

/** Removes the folders of processes that were killed and could not clean up. */
function removeLeftovers(parent, name) {
	for (const leftover of fs.existsSync(parent) ? fs.readdirSync(parent) : []) {
		const [, owner] = name.exec(leftover) || [];
		if (owner !== undefined && !isAlive(Number(owner))) remove(join(parent, leftover));
	}
}

function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === 'EPERM';
	}
}

/** Leaves what cannot be removed now, such as another user's folder. */
function remove(folder) {
	try {
		fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
	} catch {}
}

/** A browser that is ending may still be writing, and make the removed folder again. */
async function removeForGood(folder) {
	let looksGone = 0;
	for (let looks = 0; looks < 50 && looksGone < 3; looks++) {
		remove(folder);
		await sleep(100);
		looksGone = fs.existsSync(folder) ? 0 : looksGone + 1;
	}
}

function run(tool, args) {
	const command =
		tool === 'tsx'
			? // In the same Node: tsx's own command would kill a child that takes some time to shut down.
				[process.execPath, '--import', import.meta.resolve('tsx'), ...args]
			: [join(root, 'node_modules', '.bin', tool), ...args];
	const temporary = makeTemporaryFolder();
	const child = spawn(command[0], command.slice(1), {
		cwd: process.cwd(),
		env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	// The child decides when to end, and this process ends with it.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		process.on(signal, () => child.kill(signal));
	}
	child.on('exit', async (code, signal) => {
		await removeForGood(temporary);
		process.exit(code === null ? (signal === 'SIGINT' ? 130 : 1) : code);
	});
}

if (isTooOld(process.versions.node)) {
	const needed = OLDEST_NODE.join('.');
	console.error(`Node.js ${needed} or newer is needed; this is ${process.versions.node}.`);
	process.exit(1);
}
const given = process.argv.slice(2);
const onlyWorkspace = given[0] === '--only' ? given.splice(0, 2)[1] : undefined;
const [tool, ...args] = given;
if (!isInstalled(onlyWorkspace)) installPackages(onlyWorkspace);
removeLeftovers(join(root, '.sandbox'), SCRATCH_IN_CLONE);
run(tool, args);
