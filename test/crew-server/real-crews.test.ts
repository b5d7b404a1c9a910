import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readCommandLine } from '../../crew-server/src/commandLine';
import type { CrewDescription } from '../../crew-server/src/crew/description';
import { strayOutputFile } from '../../crew-server/src/crew/outputFile';
import { findPython } from '../../crew-server/src/engines/crewai/findPython';
import { Line } from '../../crew-server/src/engines/crewai/line';
import { defaultParallel } from '../../crew-server/src/engines/crewai/parallel';

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

	it('is the one that is named, else that of .venv, else the active one', () => {
		const ofActive = makeEnvironment('active');
		process.env['VIRTUAL_ENV'] = join(folder, 'active');
		expect(findPython(folder, undefined)).toBe(ofActive);
		const own = makeEnvironment('.venv');
		expect(findPython(folder, undefined)).toBe(own);
		expect(findPython(folder, ofActive)).toBe(ofActive);
		expect(findPython(folder, 'python3')).toBe('python3');
	});

	it('says what to type where there is none', () => {
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
	])('%s is led out of its folder by %j', (path, topic) => {
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

it('lets only so many take their turn, and the others in the order in which they came', () => {
	const taken: number[] = [];
	const turns = [0, 1, 2, 3, 4].map((number) => ({ take: () => void taken.push(number) }));
	const [first, second, third] = turns as [(typeof turns)[0], (typeof turns)[0], (typeof turns)[0]];
	const line = new Line<(typeof turns)[0]>(2);
	expect(turns.map((turn) => line.join(turn))).toEqual([true, true, false, false, false]);
	line.leave(third);
	line.leave(second);
	expect(taken).toEqual([0, 1, 3]);
	line.leave(first);
	expect(taken).toEqual([0, 1, 3, 4]);
});

it('lets those go on first that have worked before', () => {
	const taken: string[] = [];
	const turn = (name: string) => ({ take: () => void taken.push(name) });
	const line = new Line(1);
	const working = turn('working');
	const [first, second] = [turn('goes on 1'), turn('goes on 2')];
	line.join(working);
	line.join(turn('new'));
	line.join(first, true);
	line.join(second, true);
	line.leave(working);
	line.leave(first);
	line.leave(second);
	expect(taken).toEqual(['working', 'goes on 1', 'goes on 2', 'new']);
});

it('makes room for others as long as few wait for a person, and for one of these that goes on', () => {
	const taken: string[] = [];
	const turn = (name: string) => ({ take: () => void taken.push(name) });
	const [first, second, third] = [turn('first'), turn('second'), turn('third')];
	const line = new Line(1, 1);
	line.join(first);
	line.join(second);
	line.rest(first);
	line.join(third);
	expect(taken).toEqual(['first', 'second']);
	// Too many wait: this one keeps its room.
	line.rest(second);
	expect(taken).toEqual(['first', 'second']);
	// The first goes on at once: the second makes room in its place.
	expect(line.join(first, true)).toBe(true);
	// The second waits in line like others that have worked before.
	expect(line.join(second, true)).toBe(false);
	line.leave(first);
	line.leave(second);
	expect(taken).toEqual(['first', 'second', 'first', 'second', 'third']);
	// One that keeps its room goes on at once.
	line.rest(third);
	line.rest(third);
	line.leave(third);
	line.join(first);
	line.join(second);
	line.rest(first);
	line.rest(second);
	expect(line.join(second, true)).toBe(true);
	expect(taken.slice(5)).toEqual(['first', 'second', 'second']);
});

it('works on as many executions at once as cores and free memory bear, on one at least', () => {
	const gigabyte = 1024 ** 3;
	expect(defaultParallel(2, 24 * gigabyte)).toBe(16);
	expect(defaultParallel(8, gigabyte)).toBe(10);
	expect(defaultParallel(2, 0)).toBe(1);
	expect(defaultParallel()).toBeGreaterThan(0);
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
	for (const bad of ['0', '-1', 'x', '', '1.5']) {
		expect(() => readCommandLine([`--parallel=${bad}`])).toThrow(`--parallel cannot be "${bad}"`);
	}
	expect(() => readCommandLine(['--limit', 'x'])).toThrow('--limit cannot be "x": give a number');
});
