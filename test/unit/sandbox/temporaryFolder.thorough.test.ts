import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import execa from 'execa';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** Chromium's socket in the folder for temporary files; the system allows 107 characters. */
const SOCKET = '/.org.chromium.Chromium.XXXXXX/SingletonSocket';
const TELL = 'console.log(process.env.TMPDIR);';

let parent: string;

beforeEach(() => {
	parent = mkdtempSync('/tmp/crew-');
});
afterEach(() => {
	rmSync(parent, { recursive: true });
});

/** Starts a script in the way of the commands in `package.json`. */
function start(script: string, TMPDIR = parent): execa.ExecaChildProcess {
	const bootstrap = join(repositoryFolder, 'sandbox', 'bootstrap.mjs');
	return execa(process.execPath, [bootstrap, 'tsx', '-e', script], { env: { TMPDIR } });
}

describe('a command’s folder for temporary files', () => {
	it('is its own, is open to other users’ servers, and is removed at its end', async () => {
		const script = `${TELL} console.log(require('fs').statSync(process.env.TMPDIR).mode & 0o777);`;
		const [folder = '', mode] = (await start(script)).stdout.split('\n');
		expect(folder).toMatch(new RegExp(`^${parent}/n8n-nodes-crew-\\d+-\\w{6}$`));
		expect(Number(mode)).toBe(0o711);
		expect(existsSync(folder)).toBe(false);
	});

	it('is short enough for sockets, even if the machine’s own has a long path', async () => {
		const long = join(parent, 'x'.repeat(100));
		mkdirSync(long);
		const { stdout: folder } = await start(TELL, long);
		expect(`${folder}${SOCKET}`.length).toBeLessThanOrEqual(107);
	});

	it('is also removed after Ctrl-C', async () => {
		const command = start(`${TELL} setInterval(() => {}, 1000);`);
		const folder = await firstLine(command);
		expect(existsSync(folder)).toBe(true);
		command.kill('SIGINT');
		await expect(command).rejects.toMatchObject({ exitCode: 130 });
		expect(existsSync(folder)).toBe(false);
	});

	it('is removed by the next command if its own was killed', async () => {
		const command = start(`${TELL} process.stdin.resume();`);
		const folder = await firstLine(command);
		command.kill('SIGKILL');
		await expect(command).rejects.toMatchObject({ signal: 'SIGKILL' });
		expect(existsSync(folder)).toBe(true);
		await start('');
		expect(existsSync(folder)).toBe(false);
	});
});

async function firstLine(command: execa.ExecaChildProcess): Promise<string> {
	return await new Promise((resolve) => {
		command.stdout?.once('data', (line: Buffer) => {
			resolve(line.toString().trim());
		});
	});
}
