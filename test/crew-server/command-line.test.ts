import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { CrewServer } from '../../crew-server/src';
import { parseAspect } from '../../crew-server/src/api/aspects';
import { readCommandLine, USAGE } from '../../crew-server/src/commandLine';
import { findCrew } from '../../crew-server/src/findCrew';
import { parseDialect } from '../../crew-server/src/simulator/dialects';
import { welcome } from '../../crew-server/src/welcome';
import { listenOnLoopback } from '../../sandbox/src/loopback';
import { Client } from './support/client';
import { Command } from './support/command';
import { until } from './support/until';

const root = join(__dirname, '..', '..');

/** Runs the program as `npm run crew` does, until it ends or says the word. */
async function runCrew(
	args: string[],
	untilSaid?: RegExp,
): Promise<{ code: number | null; output: string }> {
	const command = new Command(args);
	if (untilSaid !== undefined) {
		await command.said(untilSaid);
		command.kill('SIGINT');
	}
	return { code: await command.ended, output: command.output };
}

it('prints its URL and tokens, and ends with Ctrl-C', async () => {
	const { code, output } = await runCrew(
		['--port', '0', '--no-data', '--token', 'my-token'],
		/Ctrl-C/,
	);
	expect(output).toMatch(/URL +http:\/\/127\.0\.0\.1:\d+/);
	expect(output).toMatch(/Access token +my-token/);
	expect(code).toBe(0);
});

it('warns if others can reach it, and names an address for them', async () => {
	const command = new Command(['--port', '0', '--no-data', '--host', '0.0.0.0']);
	await command.said(/Warning: anyone who can reach this machine can reach the crew/);
	const url = /URL +(\S+)/.exec(command.output)?.[1] ?? '';
	expect(url).not.toContain('0.0.0.0');
	expect((await fetch(`${url}/health`)).status).toBe(200);
	command.kill('SIGINT');
	await command.ended;
});

describe('what it prints', () => {
	const curls = ({ output }: Command) =>
		[...output.matchAll(/^ +(curl .*)$/gm)].map(([, line = '']) => line);
	const shell = async (line: string) => await promisify(execFile)('bash', ['-c', line]);

	it.each([
		['research', [], 'topic, year (optional)', 'Researcher'],
		['reviewed-article', ['--dialect', 'queue'], 'topic, audience (optional)', 'asks for approval'],
	])('leads to a first result of %s with curl', async (crew, options, inputs, task) => {
		const command = new Command([crew, '--port', '0', '--no-data', ...options]);
		await command.said(/Ctrl-C/);
		expect(command.output).toContain('Kind               played texts, without a model');
		expect(command.output).toContain(`Inputs             ${inputs}\n`);
		expect(command.output).toContain(task);
		const [kickoff = '', status = ''] = curls(command);
		const { stdout } = await shell(kickoff);
		const { kickoff_id: id } = JSON.parse(stdout) as { kickoff_id: string };
		const look = async () => (await shell(status.replace('KICKOFF_ID', id))).stdout;
		await until(async () => /your topic/.test(await look()));
		// After a mistake, curl shows what the server says, and exits with an error.
		await expect(shell(kickoff.replace('"topic"', '"subject"'))).rejects.toMatchObject({
			code: 22,
			stdout: expect.stringContaining('topic') as string,
		});
		command.kill('SIGINT');
		await command.ended;
	});

	it('has an address of the page for a token with any characters', () => {
		const crew = { name: 'any', inputs: [], tasks: [] };
		const server = { url: 'http://here', accessToken: 'a+b/c%41&d#e=', crew };
		const output = welcome(server as unknown as CrewServer, { statusFirst: false });
		const { hash } = new URL(/Page +(\S+)/.exec(output)?.[1] ?? '');
		expect(new URLSearchParams(hash.slice(1)).get('token')).toBe(server.accessToken);
	});

	it('quotes the inputs for the shell, with a value of their type', () => {
		const inputs = [
			{ name: "reader's_age", type: 'integer', required: true },
			{ name: 'current_year', type: 'string', required: true },
			{ name: 'tags', type: 'array', required: true },
			{ name: 'note', type: 'string', required: false },
		] as const;
		const crew = { name: 'any', inputs: [...inputs], tasks: [] };
		const server = { url: 'http://here', accessToken: 'a', userAccessToken: 'b', crew };
		const year = String(new Date().getFullYear());
		expect(welcome(server as unknown as CrewServer, { statusFirst: false })).toContain(
			`-d '{"inputs":{"reader'\\''s_age":1,"current_year":"${year}","tags":[]}}'`,
		);
	});
});

describe('a start that fails', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'crew-fails-'));
	});
	afterEach(() => {
		rmSync(folder, { recursive: true });
	});
	const failed = async (...args: string[]) => {
		const { code, output } = await runCrew([folder, '--data', join(folder, 'data'), ...args]);
		expect([code, existsSync(join(folder, 'data'))]).toEqual([1, false]);
		return output;
	};

	it('finds out that the port is in use before it looks for Python', async () => {
		writeFileSync(join(folder, 'crew.py'), '');
		const taken = await listenOnLoopback(createServer());
		const output = await failed('--port', String(taken.port), '--python', '/nowhere/python');
		await taken.close();
		expect(output).toContain(`Port ${taken.port} is in use`);
	});

	it('says that there is no project before it looks for Python', async () => {
		const output = await failed('--port', '0', '--python', '/nowhere/python');
		expect(output).toContain(`There is no crew in ${folder}: expected src/<package>/crew.py`);
	});

	it.each([
		['a folder with other files', 'notes/tea.md'],
		['what only a hidden folder has', '.old/crew.py'],
	])('says so of %s, too', (_what, file) => {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		writeFileSync(join(folder, file), '');
		expect(() => findCrew(folder, false)).toThrow(`There is no crew in ${folder}:`);
	});

	it('finds a project whose files are links, as in a volume of Kubernetes', () => {
		mkdirSync(join(folder, '..data'));
		writeFileSync(join(folder, '..data', 'crew.jsonc'), '{}');
		symlinkSync('..data/crew.jsonc', join(folder, 'crew.jsonc'));
		expect(findCrew(folder, false)).toEqual({ folder });
	});

	it.each(['crew.py', 'pyproject.toml', 'crew.jsonc', 'flow.yaml'])(
		'asks for the folder in place of %s',
		(name) => {
			const file = join(folder, name);
			writeFileSync(file, '');
			expect(() => findCrew(file, false)).toThrow(`${file} is a file of a CrewAI project`);
		},
	);

	it('leaves no data folder behind if the project cannot be run', async () => {
		writeFileSync(join(folder, 'crew.py'), '');
		const output = await failed('--port', '0', '--python', '/nowhere/python');
		expect(output).toContain('There is no Python at /nowhere/python');
	});

	it('leaves a data folder alone that was there', async () => {
		writeFileSync(join(folder, 'crew.py'), '');
		await runCrew([folder, '--data', folder, '--port', '0', '--python', '/nowhere/python']);
		expect(existsSync(join(folder, 'tokens.json'))).toBe(true);
	});
});

it('logs why a crew has failed, and why a request was refused', async () => {
	const options = ['--log', 'json', '--token', 'my-token', '--fault', 'task-fails'];
	const command = new Command(['--port', '0', '--no-data', ...options]);
	const url = await command.said(/"url":"([^"]+)"/);
	const client = new Client({ url, accessToken: 'my-token' });
	await client.post('/kickoff', { inputs: {} });
	await client.post('/kickoff', { inputs: { topic: 7 } });
	await new Client({ url, accessToken: 'other' }).get('/inputs');
	await client.untilStatus(await client.kickoff(), 'error');
	command.kill('SIGINT');
	await command.ended;
	const told = (msg: string) => command.lines.filter((line) => line['msg'] === msg);
	expect(told('refused').map(({ reason }) => reason)).toEqual([
		'Missing required inputs: inputs.topic',
		expect.stringContaining('inputs.topic must be string'),
		'Invalid Bearer token',
	]);
	expect(told('crew_kickoff_failed')).toEqual([
		expect.objectContaining({ level: 'error', reason: expect.stringMatching(/./) as string }),
	]);
});

it('refuses a broken file with file, line and what was expected', async () => {
	const { code, output } = await runCrew([join(root, 'package.json'), '--no-data']);
	expect(output).toMatch(/package\.json:3: version: is not known here; expected one of name/);
	expect(output).not.toContain('    at ');
	expect(code).toBe(1);
});

it('names a port that is in use', async () => {
	const taken = await listenOnLoopback(createServer());
	const { code, output } = await runCrew(['--port', String(taken.port), '--no-data']);
	await taken.close();
	expect(output).toContain(`Port ${taken.port} is in use`);
	expect(output).toContain('npm run crew -- --port 0');
	expect(output).not.toContain('    at ');
	expect(code).toBe(1);
});

it('reads its flags', () => {
	expect(
		readCommandLine([
			'reviewed-article',
			'--port',
			'0',
			'--dialect',
			'queue',
			'--aspect',
			'kickoffIdField=id',
			'--simulate',
			'--fsync',
		]),
	).toMatchObject({
		start: {
			crew: 'reviewed-article',
			port: 0,
			dialect: 'queue',
			aspects: { kickoffIdField: 'id' },
			simulate: true,
			fsync: true,
			log: { format: 'text', level: 'info' },
		},
	});
	expect(readCommandLine(['--help'])).toEqual({ show: 'help' });
	expect(readCommandLine(['--version'])).toEqual({ show: 'version' });
	expect(() => readCommandLine(['--log', 'xml'])).toThrow('give text or json');
	expect(() => readCommandLine(['--port', 'x'])).toThrow('give a number from 0 to 65535');
	// A longer timer would end at once.
	expect(() => readCommandLine(['--limit', '50000'])).toThrow('above 0, up to 35791');
	expect(() => readCommandLine(['a', 'b'])).toThrow('Only one crew can be started at a time');
	expect(() => readCommandLine(['--colour'])).toThrow('--colour');
});

it('finds its data again, however the path of the project is written', () => {
	const folderOf = (crew: string) => {
		const choice = readCommandLine([crew]);
		return 'start' in choice && choice.start.dataFolder;
	};
	const folder = folderOf(process.cwd());
	expect(['.', './', 'test/..', `${process.cwd()}/`].map(folderOf)).toEqual(Array(4).fill(folder));
});

it.each(['host', 'storage', 'deployment', 'data', 'token'])(
	'refuses an empty --%s, as of a variable that is not set',
	(name) => {
		const args = [`--${name}`, '', '--port', '0'];
		const database = name === 'deployment' ? ['--database', 'postgres://crew@db/crews'] : [];
		expect(() => readCommandLine([...args, ...database])).toThrow(
			`--${name} is empty: give a value, or leave it out.`,
		);
	},
);

it('reads dialects and their aspects, and says what they can be', () => {
	expect(parseDialect('queue')).toBe('queue');
	expect(() => parseDialect('other')).toThrow('give one of both, documented, queue, platform');
	expect(parseAspect('kickoffStatus=202')).toEqual({ kickoffStatus: 202 });
	expect(parseAspect('pauseWord=a=b')).toEqual({ pauseWord: 'a=b' });
	expect(() => parseAspect('statusPath=x')).toThrow('give one of both, id-first, status-first');
	expect(() => parseAspect('colour=x')).toThrow('with one of statusPath, statusBody');
	expect(() => parseAspect('pauseWord=')).toThrow('give any word');
});

it('has a help that fits on a screen, with the options for tests separate', () => {
	const lines = USAGE.trimEnd().split('\n');
	expect(lines.length).toBeLessThanOrEqual(24);
	expect(lines.filter((line) => line.length > 80)).toEqual([]);
	const [usual = '', tests = ''] = USAGE.split('For tests of clients:');
	for (const option of ['--dialect', '--aspect', '--fault', '--played', '--simulate']) {
		expect(usual).not.toContain(option);
		expect(tests).toContain(option);
	}
	expect(tests).toMatch(/Exit\s+codes/);
});
