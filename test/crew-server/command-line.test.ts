import { createServer } from 'node:http';
import { join } from 'node:path';
import { readCommandLine, USAGE } from '../../crew-server/src/commandLine';
import { parseAspect, parseDialect } from '../../crew-server/src/dialect';
import { listenOnLoopback } from '../../sandbox/src/loopback';
import { Command } from './support/command';

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

it('prints URL and tokens, and ends with Ctrl-C', async () => {
	const { code, output } = await runCrew(
		['--port', '0', '--no-data', '--token', 'my-token'],
		/Ctrl-C/,
	);
	expect(output).toMatch(/URL +http:\/\/127\.0\.0\.1:\d+/);
	expect(output).toMatch(/Access token +my-token/);
	expect(code).toBe(0);
});

it('warns where others can reach it', async () => {
	const { output } = await runCrew(['--port', '0', '--no-data', '--host', '0.0.0.0'], /Careful/);
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
		start: {
			crew: 'reviewed-article',
			port: 0,
			dialect: 'queue',
			aspects: { kickoffIdField: 'id' },
			log: { format: 'text', level: 'info' },
		},
	});
	expect(readCommandLine(['--help'])).toEqual({ show: 'help' });
	expect(readCommandLine(['--version'])).toEqual({ show: 'version' });
	expect(() => readCommandLine(['--log', 'xml'])).toThrow('give text or json');
	expect(() => readCommandLine(['--port', 'x'])).toThrow('give a number from 0 to 65535');
	// A timer that is set to more ends at once.
	expect(() => readCommandLine(['--limit', '50000'])).toThrow('above 0, up to 35791');
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

it('has a help that fits on a screen, with what serves tests apart', () => {
	const lines = USAGE.trimEnd().split('\n');
	expect(lines.length).toBeLessThanOrEqual(24);
	expect(lines.filter((line) => line.length > 80)).toEqual([]);
	const [usual = '', tests = ''] = USAGE.split('For tests of clients:');
	for (const option of ['--dialect', '--aspect', '--fault', '--played']) {
		expect(usual).not.toContain(option);
		expect(tests).toContain(option);
	}
	expect(tests).toContain('Exit codes');
});
