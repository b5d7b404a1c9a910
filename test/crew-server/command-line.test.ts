import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { readCommandLine } from '../../crew-server/src/commandLine';
import { parseAspect, parseDialect } from '../../crew-server/src/dialect';
import { listenOnLoopback } from '../../sandbox/src/loopback';

const root = join(__dirname, '..', '..');

/** Runs the program as `npm run crew` does, until it ends or says the word. */
function runCrew(
	args: string[],
	untilSaid?: string,
): Promise<{ code: number | null; output: string }> {
	const tsx = join(root, 'node_modules', '.bin', 'tsx');
	const child = spawn(tsx, [join(root, 'crew-server', 'src', 'main.ts'), ...args], { cwd: root });
	let output = '';
	const listen = (chunk: Buffer) => {
		output += chunk.toString();
		if (untilSaid !== undefined && output.includes(untilSaid)) child.kill('SIGINT');
	};
	child.stdout.on('data', listen);
	child.stderr.on('data', listen);
	return new Promise((resolve) => {
		child.on('close', (code) => {
			resolve({ code, output });
		});
	});
}

it('prints URL and tokens, and ends with Ctrl-C', async () => {
	const { code, output } = await runCrew(
		['--port', '0', '--no-data', '--token', 'my-token'],
		'Ctrl-C',
	);
	expect(output).toMatch(/URL +http:\/\/127\.0\.0\.1:\d+/);
	expect(output).toMatch(/Access token +my-token/);
	expect(code).toBe(0);
});

it('warns where others can reach it', async () => {
	const { output } = await runCrew(['--port', '0', '--no-data', '--host', '0.0.0.0'], 'Careful');
	expect(output).toContain('whoever reaches this machine reaches the crew');
});

it('refuses a broken file with file, line and what was expected', async () => {
	const { code, output } = await runCrew([join(root, 'package.json'), '--no-data']);
	expect(output).toMatch(/package\.json:3: version: is not known here; expected one of name/);
	expect(output).not.toContain('    at ');
	expect(code).toBe(1);
});

it('names a port that is taken', async () => {
	const taken = await listenOnLoopback(createServer());
	const { code, output } = await runCrew(['--port', String(taken.port), '--no-data']);
	await taken.close();
	expect(output).toContain(`Port ${taken.port} is taken`);
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
		]),
	).toMatchObject({
		crew: 'reviewed-article',
		port: 0,
		dialect: 'queue',
		aspects: { kickoffIdField: 'id' },
	});
	expect(readCommandLine(['--help'])).toBe('help');
	expect(() => readCommandLine(['--port', 'x'])).toThrow('give a number from 0 to 65535');
	expect(() => readCommandLine(['a', 'b'])).toThrow('One crew at a time');
	expect(() => readCommandLine(['--colour'])).toThrow('--colour');
});

it('reads dialects and their aspects, and says what they can be', () => {
	expect(parseDialect('queue')).toBe('queue');
	expect(() => parseDialect('other')).toThrow('give one of both, documented, queue');
	expect(parseAspect('kickoffStatus=202')).toEqual({ kickoffStatus: 202 });
	expect(parseAspect('pauseWord=a=b')).toEqual({ pauseWord: 'a=b' });
	expect(() => parseAspect('statusPath=x')).toThrow('give one of both, id-first, status-first');
	expect(() => parseAspect('colour=x')).toThrow('with one of statusPath, statusBody');
	expect(() => parseAspect('pauseWord=')).toThrow('give any word');
});
