import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startCrewServer, type CrewServer } from '../../crew-server/src';

const root = join(__dirname, '..', '..');
const PAGES = ['crew-server/README.md', 'docs/testing-against-a-crew.md'];
const text = PAGES.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');

/** The contents of all fences of a language. */
const fences = (language: string) =>
	[...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map((match) =>
		match[1]!.trim(),
	);
const commands = fences('sh');
const starts = commands.filter((command) => command.startsWith('npm run crew'));
const others = commands.filter((command) => !starts.includes(command));

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'crew-readme-'));
	writeFileSync(join(folder, 'my-crew.yaml'), fences('yaml')[0]!);
});
afterAll(() => {
	rmSync(folder, { recursive: true });
});

/** As in the README, but on a free port, with existing paths, and without keeping data. */
function adapt(command: string): string {
	// The clone's path may have spaces.
	const quoted = (...path: string[]) => `'${join(...path)}'`;
	const adapted = command
		.replace('my-crew.yaml', quoted(folder, 'my-crew.yaml'))
		.replace('path/to/project', quoted(__dirname, 'fixtures', 'latest-ai'))
		.replace('/tmp/my-crew-data', quoted(folder, 'data'));
	// Without CrewAI, a project can only be played.
	const played = command.endsWith('path/to/project') ? ' --played' : '';
	const dashes = adapted.includes(' -- ') ? '' : ' --';
	return `${adapted}${dashes}${played} --port 0${adapted.includes('--data') ? '' : ' --no-data'}`;
}

it.each(starts)(
	'starts: %s',
	async (command) => {
		// A group of its own, as a terminal would give it: Ctrl-C reaches all of it.
		const child = spawn('sh', ['-c', adapt(command)], { cwd: root, detached: true });
		let said = '';
		let isAsked = false;
		const listen = (chunk: Buffer) => {
			said += chunk.toString();
			if (isAsked || !/Press Ctrl-C to stop it\.|"msg":"running"/.test(said)) return;
			isAsked = true;
			process.kill(-child.pid!, 'SIGINT');
		};
		child.stdout.on('data', listen);
		child.stderr.on('data', listen);
		await new Promise((resolve) => child.on('close', resolve));
		const url = command.includes('--log json') ? /"url":"http:/ : /URL +http:/;
		expect(said).toMatch(command.includes('--help') ? /^Usage: npm run crew/m : url);
	},
	120_000,
);

describe('against a running crew', () => {
	let crew: CrewServer;
	beforeAll(async () => {
		crew = await startCrewServer();
	});
	afterAll(() => crew.close());

	it.each(others)('%s', async (command) => {
		const env = { ...process.env, URL: crew.url, TOKEN: crew.accessToken };
		const { stdout } = await promisify(execFile)('bash', ['-ec', command], { env });
		expect(stdout).not.toBe('');
	});
});
