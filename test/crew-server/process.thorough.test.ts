import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from './support/client';
import { Command } from './support/command';
import { startReceiver } from './support/receiver';
import { until } from './support/until';

/** The command as an operator sees it: signals, exit codes, health, log. */

const TOKEN = 'token-of-the-organisation';
const ALWAYS = ['--port', '0', '--token', TOKEN];
const URL_LINE = /URL +(\S+)/;

let dataFolder: string;
beforeEach(() => {
	dataFolder = mkdtempSync(join(tmpdir(), 'crew-process-'));
});
afterEach(() => {
	rmSync(dataFolder, { recursive: true });
});

const clientOf = (url: string) => new Client({ url, accessToken: TOKEN });

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
	it('ends it cleanly, with 0', async () => {
		const command = new Command([...ALWAYS, '--no-data']);
		await command.said(URL_LINE);
		command.kill(signal);
		expect(await command.ended).toBe(0);
		expect(command.output).toMatch(/ending signal=SIG[^]*ended\n$/);
	});
});

it('answers open requests before it ends, accepts nothing new, and continues at the next start', async () => {
	const args = [...ALWAYS, '--data', dataFolder];
	const slow = ['--fault', 'latency=600@kickoff', '--fault', 'never-ends@find_sources+1*1'];
	const command = new Command([...args, ...slow]);
	const client = clientOf(await command.said(URL_LINE));
	const ended = await client.kickoff();
	await client.untilStatus(ended, 'completed');
	const kickoff = client.kickoff();
	await until(async () => (await client.get('/inputs')).status === 200);
	command.kill('SIGTERM');
	const id = await kickoff;
	expect(await command.ended).toBe(0);
	await expect(client.get('/inputs')).rejects.toThrow();

	const again = new Command(args);
	const after = clientOf(await again.said(URL_LINE));
	await after.untilStatus(id, 'completed');
	expect((await after.get(`/${ended}/status`)).body).toMatchObject({ status: 'completed' });
	again.kill('SIGTERM');
	await again.ended;
});

it('reports the end once the receiver is back, some seconds later', async () => {
	let tries = 0;
	const breaking = createServer((socket) => {
		tries++;
		socket.destroy();
	}).listen(0, '127.0.0.1');
	await once(breaking, 'listening');
	const { port } = breaking.address() as AddressInfo;
	const command = new Command([...ALWAYS, '--no-data']);
	const client = clientOf(await command.said(URL_LINE));
	const id = await client.kickoff({ crewWebhookUrl: `http://127.0.0.1:${port}/crew` });
	await until(() => tries === 3, 30_000);
	breaking.close();
	await once(breaking, 'close');
	const receiver = await startReceiver(undefined, port);
	await until(() => receiver.received.length === 1, 30_000);
	expect(receiver.received[0]?.body).toMatchObject({ kickoff_id: id });
	command.kill('SIGTERM');
	await command.ended;
	await receiver.close();
});

it('sends callbacks that were due at the next start', async () => {
	const hanging = await startReceiver(() => 'hang');
	const args = [...ALWAYS, '--data', dataFolder];
	const command = new Command(args);
	const client = clientOf(await command.said(URL_LINE));
	const id = await client.kickoff({ crewWebhookUrl: `${hanging.url}/crew` });
	await until(() => hanging.received.length === 1);
	command.kill('SIGTERM');
	expect(await command.ended).toBe(0);
	await hanging.close();
	const receiver = await startReceiver(() => 200, Number(new URL(hanging.url).port));
	const again = new Command(args);
	await again.said(URL_LINE);
	await until(() => receiver.received.some(({ body }) => body['kickoff_id'] === id));
	again.kill('SIGTERM');
	expect(await again.ended).toBe(0);
	await receiver.close();
});

it('ends at once on a second signal', async () => {
	const command = new Command([...ALWAYS, '--no-data', '--fault', 'latency=60000@inputs']);
	const url = await command.said(URL_LINE);
	// A running request delays the end.
	const asking = clientOf(url).get('/inputs');
	asking.catch(() => undefined);
	await until(async () => (await fetch(`${url}/health`)).ok);
	const repeating = setInterval(() => {
		command.kill('SIGTERM');
	}, 20);
	expect(await command.ended).toBe(143);
	clearInterval(repeating);
	await expect(asking).rejects.toThrow();
});

it('says by its exit code why it did not start', async () => {
	const unknown = new Command(['--colour']);
	expect(await unknown.ended).toBe(2);
	expect(unknown.output).toContain('--colour');
	const missing = new Command(['no-such-crew', '--no-data']);
	expect(await missing.ended).toBe(1);
	expect(missing.output).toContain('There is no crew "no-such-crew"');
});

it('says without a token that it is healthy, once the crew is ready', async () => {
	const command = new Command([...ALWAYS, '--no-data']);
	const url = await command.said(URL_LINE);
	const response = await fetch(`${url}/health`);
	expect([response.status, await response.json()]).toEqual([200, { status: 'healthy' }]);
	command.kill('SIGTERM');
	await command.ended;
});

describe('--log json', () => {
	const PROVIDER_KEY = 'value-of-a-variable-that-is-secret';

	/** Runs an execution that fails and one that completes, and ends. */
	async function run(level: string): Promise<Command> {
		const receiver = await startReceiver(() => 400);
		const args = [...ALWAYS, '--data', dataFolder, '--log', 'json', '--log-level', level];
		const command = new Command(args, { env: { PROVIDER_API_KEY: PROVIDER_KEY } });
		const client = clientOf(await command.said(/"url":"([^"]+)"/));
		const inputs = { topic: `Oolong ${PROVIDER_KEY}`, wifi_password: 'tea-for-two', note: TOKEN };
		const crewWebhookUrl = `${receiver.url}/hook?token=in-the-address`;
		const id = await client.kickoff({ inputs, crewWebhookUrl });
		await client.untilStatus(id, 'completed');
		await client.post('/kickoff', { inputs: {} });
		await client.get('/inputs', { authorization: 'Bearer stranger' });
		await until(() => receiver.received.length === 1);
		await until(() => command.output.includes('callback_given_up'));
		command.kill('SIGTERM');
		await command.ended;
		await receiver.close();
		return command;
	}

	const SECRETS = [TOKEN, PROVIDER_KEY, 'tea-for-two', 'in-the-address', 'stranger'];

	it('writes a line for each event, without inputs, outputs and secrets', async () => {
		const { lines, output } = await run('info');
		const words = lines.map(({ msg }) => msg);
		expect(words[0]).toBe('running');
		expect(words).toEqual(
			expect.arrayContaining([
				...['crew_kickoff_started', 'task_started', 'task_completed', 'crew_kickoff_completed'],
				...['refused', 'callback_given_up', 'ending', 'ended'],
			]),
		);
		const completed = lines.find(({ msg }) => msg === 'crew_kickoff_completed');
		expect(Object.keys(completed ?? {}).sort()).toEqual(['kickoff_id', 'level', 'msg', 'time']);
		for (const secret of [...SECRETS, 'Oolong']) expect(output).not.toContain(secret);
		const { data } = lines[0] as { data: string };
		expect(readFileSync(join(data, 'tokens.json'), 'utf8')).toContain(TOKEN);
	});

	it('writes inputs and outputs on request, but no secrets', async () => {
		const { lines, output } = await run('debug');
		expect(lines.find(({ msg }) => msg === 'crew_kickoff_started')).toMatchObject({
			data: { inputs: { topic: 'Oolong [secret]', wifi_password: '[secret]', note: '[secret]' } },
		});
		expect(output).toContain('Interest in Oolong [secret] is growing');
		for (const secret of SECRETS) expect(output).not.toContain(secret);
	});

	it('refuses tokens that nobody would get to know', async () => {
		const command = new Command(['--log', 'json', '--no-data']);
		expect(await command.ended).toBe(2);
		expect(command.output).toContain('give one with --token');
	});
});
