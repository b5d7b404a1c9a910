import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { startServer } from '../support/strangeServer';
import { activateCrewWorkflow } from './support/runs';

const MEGABYTE = 1024 * 1024;
/** Megabytes by which n8n's memory may grow for one answer: the answer itself, and what it is parsed into. */
const MOST_GROWTH = 400;

const json = { 'Content-Type': 'application/json' };
const TOO_LARGE = 'The crew’s server sends more than 64 MB in one answer';
const TOO_MANY = 'The crew’s answer contains more values than n8n reads';

/** A gzip file may have many parts: a gigabyte in one megabyte. */
const part = gzipSync(Buffer.alloc(64 * MEGABYTE, ' '));
const bomb = Buffer.concat(Array.from({ length: 16 }, () => part));

const ANSWERS: Array<[string, (response: ServerResponse) => unknown, string]> = [
	[
		'a gigabyte in a gzip bomb',
		(response) => response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(bomb),
		TOO_LARGE,
	],
	[
		'text without end',
		(response) => {
			const chunk = Buffer.alloc(MEGABYTE, ' ');
			const write = () => {
				while (!response.destroyed && response.write(chunk));
			};
			response.writeHead(200, json).on('drain', write);
			write();
		},
		TOO_LARGE,
	],
	[
		'60 MB of empty lists',
		(response) => response.writeHead(200, json).end(`[${'[],'.repeat(20 * MEGABYTE)}0]`),
		TOO_MANY,
	],
	[
		'60 MB of one level in another',
		(response) => response.writeHead(200, json).end('['.repeat(60 * MEGABYTE)),
		TOO_MANY,
	],
];

describe('an answer without end, in the real n8n', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox({ teardown });
	});

	afterAll(() => teardown.run());

	/** Megabytes: the most that n8n has used since {@link forgetPeak}, and what it uses now. */
	async function memory(): Promise<{ peak: number; now: number }> {
		const status = await readFile(`/proc/${sandbox.n8n.pid}/status`, 'utf8');
		const read = (name: string) =>
			Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
		return { peak: Math.round(read('VmHWM')), now: Math.round(read('VmRSS')) };
	}

	async function forgetPeak(): Promise<void> {
		await writeFile(`/proc/${sandbox.n8n.pid}/clear_refs`, '5');
	}

	test.each(ANSWERS)(
		'%s ends with a message and does not fill the memory',
		async (what, send, message) => {
			const server = await startServer((_request, response) => {
				send(response);
			});
			teardown.add(server.close);
			const data = {
				baseUrl: server.baseUrl,
				accessToken: 'organisation-token',
				callbackSecret: '',
			};
			const credential = await sandbox.api.createCredential(what, 'crewApi', data);
			const { workflow, start } = await activateCrewWorkflow(
				{ api: sandbox.api, credential },
				{ operation: 'getStatus', kickoffId: 'a' },
			);
			await forgetPeak();
			const before = await memory();

			await start([{ topic: 'bees' }]);
			const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);
			const tested = await sandbox.api.testCredential('crewApi', data);

			const growth = (await memory()).peak - before.now;
			process.stderr.write(`${what}: n8n held ${before.now} MB, and ${growth} MB more at most\n`);
			expect(execution?.data.resultData.error?.message).toBe(message);
			expect(tested.message).toContain(message);
			expect(growth).toBeLessThan(MOST_GROWTH);
			expect((await fetch(`${sandbox.url}/healthz`)).status).toBe(200);
		},
	);
});
