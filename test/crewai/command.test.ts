import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python } from './support/deployment';
import { isAlive } from './support/processes';

const root = join(__dirname, '..', '..');

/** `npm run crew` without npm, so that only the server gets signals. */
function crewCommand(folder: string, options: string[], env: NodeJS.ProcessEnv): ChildProcess {
	const script = ['--import', 'tsx', join(root, 'crew-server', 'src', 'main.ts'), folder];
	const always = ['--python', python, '--port', '0', '--no-data'];
	return spawn(process.execPath, [...script, ...always, ...options], {
		cwd: root,
		env: { ...process.env, ...env },
	});
}

it('prints what the crew is, which tasks ask, and warnings, and ends with Ctrl-C', async () => {
	const copy = copyProject('several', {});
	const child = crewCommand(copy.folder, ['--crew', 'Asking'], { OPENAI_API_KEY: '' });
	let said = '';
	const listen = (chunk: Buffer) => {
		said += chunk.toString();
		if (said.includes('its own Python process')) child.kill('SIGINT');
	};
	child.stdout?.on('data', listen);
	child.stderr?.on('data', listen);
	const [code] = (await once(child, 'close')) as [number];
	copy.remove();
	expect(said).toMatch(/importing folder=[^]*The crew "Asking" is running/);
	expect(said).toMatch(
		/Kind +crew\n +Inputs +none\n +Tasks\n +asking_task +Clerk \(asks for approval\)\n/,
	);
	expect(said).toContain('Warning: There is no key for the model');
	expect(said).toContain('Warning: Importing the project starts threads');
	expect(code).toBe(0);
});

it('reports the place of an import that takes long', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'crew-slow-'));
	writeFileSync(join(folder, 'crew.py'), IMPORTED_FOR_EVER);
	const child = crewCommand(folder, [], {});
	let said = '';
	child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
	await until(() => /still_importing at=File ".*crew\.py", line \d+/.test(said), PATIENCE);
	child.kill('SIGINT');
	await once(child, 'close');
	rmSync(folder, { recursive: true });
});

it.each(['SIGINT', 'SIGKILL'] as const)(
	'leaves no process and no file behind if %s ends it while it imports the project',
	async (signal) => {
		const folder = mkdtempSync(join(tmpdir(), 'crew-slow-'));
		const temporary = join(folder, 'temporary');
		mkdirSync(temporary);
		writeFileSync(join(folder, 'crew.py'), IMPORTED_FOR_EVER);
		const child = crewCommand(folder, [], { TMPDIR: temporary });
		const file = join(folder, 'pid.txt');
		await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '', PATIENCE);
		const host = Number(readFileSync(file, 'utf8'));
		const ours = () => readdirSync(temporary).filter((name) => name.startsWith('crew-'));
		expect(ours()).toHaveLength(1);
		child.kill(signal);
		await until(() => !isAlive(host) && ours().length === 0, PATIENCE);
		rmSync(folder, { recursive: true });
	},
);

const IMPORTED_FOR_EVER = `import os
import time

from crewai.project import CrewBase

with open("pid.txt", "w") as file:
    file.write(str(os.getpid()))
time.sleep(600)
CrewBase
`;
