import { createServer } from 'node:http';
import execa from 'execa';
import { listenOnLoopback } from '../../sandbox/src/loopback';
import { repositoryFolder } from '../../sandbox/src/paths';
import { findFreePort } from '../../sandbox/src/ports';
import { waitFor } from '../../sandbox/src/wait-for';

function npmStart(...options: string[]): execa.ExecaChildProcess {
	return execa('npm', ['start', '--', ...options], {
		cwd: repositoryFolder,
		reject: false,
		all: true,
		// As in a terminal: Ctrl-C reaches npm and all below it.
		detached: true,
	});
}

async function answers(port: number): Promise<boolean> {
	return fetch(`http://127.0.0.1:${port}/`).then(
		() => true,
		() => false,
	);
}

describe('npm start', () => {
	test('names a port that is in use, and how to choose another', async () => {
		const other = await listenOnLoopback(createServer());
		try {
			const run = await npmStart('--once', '--port', String(other.port));
			expect(run.exitCode).toBe(1);
			expect(run.all).toContain(
				`Port ${other.port} is taken: choose another, e.g. npm start -- --port `,
			);
		} finally {
			await other.close();
		}
	});

	// With a shared end, one signal is enough for all that comes late in a start.
	test.each([
		['SIGINT', 'n8n and the crew server'],
		['SIGTERM', 'the crew server, while n8n starts'],
		['SIGHUP', 'the crew server, while n8n starts'],
	] as const)('%s ends %s', async (signal, what) => {
		const ports = [await findFreePort(), await findFreePort()] as const;
		const awaited = signal === 'SIGINT' ? ports : ports.slice(1);
		const run = npmStart('--once', '--port', String(ports[0]), '--crew-port', String(ports[1]));
		let output = '';
		run.all?.on('data', (chunk: Buffer) => {
			output += chunk.toString();
		});
		const isUp = async () => {
			if (run.exitCode !== null) throw new Error(`npm start ended early:\n${output}`);
			return (await Promise.all(awaited.map(answers))).every(Boolean);
		};
		const isGone = async () => !(await Promise.all(ports.map(answers))).some(Boolean);
		try {
			await waitFor(`${what} to listen`, isUp, {
				timeout: 300_000,
				describe: () => output,
			});
			process.kill(-run.pid!, signal);
			await run;
			await waitFor('n8n and the crew to be gone', isGone);
		} finally {
			if (run.exitCode === null && run.signalCode === null) process.kill(-run.pid!, 'SIGKILL');
		}
		expect(output).toContain('Ending ...');
	});
});
