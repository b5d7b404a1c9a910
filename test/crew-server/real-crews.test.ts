import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { strayOutputFile } from '../../crew-server/src/api/outputFile';
import { startCrewServer } from '../../crew-server/src';
import { readCommandLine } from '../../crew-server/src/commandLine';
import type { CrewDescription } from '../../crew-server/src/domain/crew';
import { findPython } from '../../crew-server/src/worker/crewai/findPython';
import { defaultParallel } from '../../crew-server/src/worker/crewai/parallel';

describe('the Python of a project', () => {
	let folder: string;
	const active = process.env['VIRTUAL_ENV'];
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'crew-python-'));
		delete process.env['VIRTUAL_ENV'];
	});
	afterEach(() => {
		rmSync(folder, { recursive: true });
		if (active === undefined) delete process.env['VIRTUAL_ENV'];
		else process.env['VIRTUAL_ENV'] = active;
	});
	const makeEnvironment = (name: string) => {
		const python = join(folder, name, 'bin', 'python');
		mkdirSync(join(folder, name, 'bin'), { recursive: true });
		writeFileSync(python, '');
		return python;
	};

	it('is the named one, else that of .venv, else the active one', () => {
		const ofActive = makeEnvironment('active');
		process.env['VIRTUAL_ENV'] = join(folder, 'active');
		expect(findPython(folder, undefined)).toBe(ofActive);
		const own = makeEnvironment('.venv');
		expect(findPython(folder, undefined)).toBe(own);
		expect(findPython(folder, ofActive)).toBe(ofActive);
		expect(findPython(folder, 'python3')).toBe('python3');
	});

	it('says which command to run if there is none', () => {
		expect(() => findPython(folder, undefined)).toThrow(
			`There is no Python for the project in ${folder}: type \`uv sync\` or \`crewai install\` in that folder`,
		);
		expect(() => findPython(folder, '/nowhere/python')).toThrow(
			'There is no Python at /nowhere/python, which --python names.',
		);
	});
});

describe('the output file of a task', () => {
	const writing = (outputFile: string): CrewDescription => ({
		name: 'crew',
		inputs: [],
		tasks: [{ name: 'task', description: '', expectedOutput: '', agent: '', outputFile }],
	});

	it.each([
		['out/{topic}.md', '../../x'],
		['out/{topic}.md', '../x'],
		['{topic}', '/etc/passwd'],
		['{topic}', '~/x'],
		['{topic}', '..'],
		['out/{topic}.md', 'a\0'],
	])('%s is moved out of its folder by %j', (path, topic) => {
		expect(strayOutputFile(writing(path), { topic })).toEqual({ input: 'topic', outputFile: path });
	});

	it.each([
		['out/{topic}.md', 'tea'],
		['out/{topic}.md', 'green/tea'],
		['out/{topic}.md', '..tea'],
		['{topic}/report.md', 'here'],
		['report.md', '../x'],
	])('%s is not by %j', (path, topic) => {
		expect(strayOutputFile(writing(path), { topic })).toBeUndefined();
	});
});

it('runs as many executions at once as cores and free memory allow, at least one', () => {
	const gigabyte = 1024 ** 3;
	expect(defaultParallel(2, 24 * gigabyte)).toBe(16);
	expect(defaultParallel(8, gigabyte)).toBe(10);
	expect(defaultParallel(2, 0)).toBe(1);
	expect(defaultParallel()).toBeGreaterThan(0);
});

it.each([
	[{ entry: 'main:Crew' }, '--entry'],
	[{ crewName: 'Crew' }, '--crew'],
])('refuses %j if the crew is played', async (project, option) => {
	await expect(startCrewServer({ project })).rejects.toThrow(`${option} is for CrewAI projects`);
});

it('reads the flags for projects', () => {
	expect(
		readCommandLine(['there', '--python', 'p', '--crew', 'C', '--parallel', '3', '--limit', '0.5']),
	).toMatchObject({
		start: {
			crew: 'there',
			project: { python: 'p', crewName: 'C', parallel: 3, limit: 0.5 },
		},
	});
	expect(readCommandLine(['there', '--played'])).toMatchObject({ start: { played: true } });
	expect(readCommandLine(['there', '--storage', '/shared'])).toMatchObject({
		start: { project: { sharedStorage: '/shared' } },
	});
	for (const bad of ['0', '-1', 'x', ' ', '1.5']) {
		expect(() => readCommandLine([`--parallel=${bad}`])).toThrow(
			`--parallel cannot be "${bad}": give a whole number`,
		);
	}
	expect(() => readCommandLine(['--limit', 'x'])).toThrow('--limit cannot be "x": give a number');
});
