import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
	installCrewServer,
	type InstalledCrewServer,
} from '../../sandbox/src/installed-crew-server';
import { Client } from './support/client';
import { Command } from './support/command';

/** The package as npm installs it: built, complete, and on its own. */

let installed: InstalledCrewServer;
beforeAll(async () => {
	installed = await installCrewServer();
}, 300_000);
afterAll(() => {
	installed.remove();
});

const run = (...args: string[]) => {
	const { folder, program } = installed;
	return new Command(args, { folder, program, env: { XDG_STATE_HOME: join(folder, 'state') } });
};

it('has what it needs to run, and no sources, tests or caches', () => {
	const { files } = installed;
	for (const file of [
		'README.md',
		'LICENSE.md',
		'CHANGELOG.md',
		'dist/main.js',
		'dist/browser/page.js.gz',
	]) {
		expect(files).toContain(file);
	}
	expect(files).toEqual(
		expect.arrayContaining(['python/crew_host/main.py', 'python/crew_server.py']),
	);
	expect(files.filter((file) => /\.ts$|test|__pycache__|\.data/.test(file))).toEqual([]);
});

it('shows its own name in its help, and its version', async () => {
	const help = run('--help');
	expect(await help.ended).toBe(0);
	expect(help.output).toMatch(/^Usage: crew-server /);
	const version = run('--version');
	await version.ended;
	expect(version.output).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it('plays a crew, shows its page, and keeps its data outside the package', async () => {
	const command = run('research', '--port', '0', '--token', 'my-token');
	const url = await command.said(/URL +(\S+)/);
	const client = new Client({ url, accessToken: 'my-token' });
	await client.untilStatus(await client.kickoff(), 'completed');
	const page = await fetch(url, { headers: { accept: 'text/html' } });
	expect(await page.text()).toContain('<title>Crew server</title>');
	command.kill('SIGTERM');
	expect(await command.ended).toBe(0);
	const data = join(installed.folder, 'state', 'crew-server', 'research');
	expect(existsSync(join(data, 'tokens.json'))).toBe(true);
});

it('says which package a database needs', async () => {
	const command = run('--port', '0', '--database', 'postgres://127.0.0.1:1/crews');
	expect(await command.ended).toBe(1);
	expect(command.output).toContain(
		'--database needs the package pg beside the crew server: npm install pg',
	);
});
