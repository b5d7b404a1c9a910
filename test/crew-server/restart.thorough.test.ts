import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
	startCrewServer,
	type CrewDefinition,
	type CrewServer,
	type CrewServerOptions,
} from '../../crew-server/src';
import type { OnInterrupt } from '../../crew-server/src/domain/crew';
import { findFreePort } from '../../sandbox/src/ports';
import { deployApart as startApart, type Apart } from './support/apart';
import { Client } from './support/client';
import { textWith } from './support/matchers';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

let dataFolder: string;
let receiver: Receiver;
let crew: CrewServer | undefined;
let apart: Apart | undefined;

beforeEach(async () => {
	dataFolder = mkdtempSync(join(tmpdir(), 'crew-data-'));
	receiver = await startReceiver();
});
afterEach(async () => {
	await apart?.kill();
	await crew?.close();
	await receiver.close();
	crew = apart = undefined;
	rmSync(dataFolder, { recursive: true });
});

/** Deploys in a process of its own, which {@link kill} ends without warning. */
async function deployApart(options: CrewServerOptions): Promise<Client> {
	apart = await startApart({ dataFolder, ...options });
	return new Client(apart.crew);
}

async function kill(): Promise<void> {
	await apart!.kill();
	apart = undefined;
}

async function deploy(options: CrewServerOptions): Promise<Client> {
	// The lock of a process that was killed is freed a moment after its end.
	crew = await until(() => startCrewServer({ dataFolder, ...options }).catch(() => undefined));
	return new Client(crew);
}

const slow: CrewDefinition = {
	name: 'slow',
	inputs: [],
	tasks: ['first', 'second'].map((name, index) => ({
		name,
		description: 'Work',
		expectedOutput: 'A text',
		agent: 'Worker',
		output: `output of ${name}`,
		duration: index === 0 ? 1 : 600,
	})),
};

const quick: CrewDefinition = { ...slow, tasks: slow.tasks.slice(0, 1) };

it('continues what was running when the process was killed, and keeps what had ended', async () => {
	const before = await deployApart({ crew: slow });
	const ended = await before.kickoff();
	await before.untilStatus(ended, 'completed');
	const running = await before.kickoff({ meta: { a: 1 }, crewWebhookUrl: receiver.url });
	await until(async () => {
		const { body } = await before.get(`/${running}/status`);
		return body['current_task'] === 'second';
	});
	await kill();

	const after = await deploy({ crew: slow });
	expect((await after.get(`/${ended}/status`)).body).toMatchObject({ status: 'completed' });
	await after.untilStatus(running, 'completed');
	await until(() => receiver.received.length === 1);
	expect(receiver.received[0]?.body).toMatchObject({ result: 'output of second', meta: { a: 1 } });
	const taken = (await crew!.executions()).find(({ kickoffId }) => kickoffId === running);
	expect(taken?.tasks).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
	const { text } = (await after.get('/metrics')).body;
	expect(text).toContain('crew_server_takeovers_total 1\n');
});

it('counts how often a task was interrupted by a kill, but not by a close', async () => {
	const faults = ['never-ends@second'];
	const before = await deployApart({ crew: slow, faults });
	const id = await before.kickoff();
	const isAtSecond = async (client: Client) => {
		const { body } = await client.get(`/${id}/status`);
		return body['current_task'] === 'second';
	};
	await until(() => isAtSecond(before));
	await kill();
	const second = async () => (await crew!.executions()).at(-1)?.tasks[1];
	for (let closed = 0; closed < 2; closed++) {
		await deploy({ crew: slow, faults });
		// Right after the kill, its state is still running.
		await until(async () => (await second())?.interruptions !== undefined);
		await until(async () => (await second())?.state === 'running');
		expect(await second()).toMatchObject({ interruptions: 1, attempts: 1 });
		await crew!.close();
	}
});

describe('a task that is cut off by a kill, or by a close', () => {
	const faults = ['never-ends@second'];
	const crewThat = (onInterrupt: OnInterrupt): CrewDefinition => ({
		...slow,
		tasks: slow.tasks.map((task) => ({ ...task, onInterrupt })),
	});

	/** Starts the crew, ends the server while the second task is running, and starts it again. */
	async function interrupt(onInterrupt: OnInterrupt, how: 'kill' | 'close') {
		const before = await (how === 'kill' ? deployApart : deploy)({
			crew: crewThat(onInterrupt),
			faults,
		});
		const id = await before.kickoff({ taskWebhookUrl: receiver.url });
		await until(async () => {
			const { body } = await before.get(`/${id}/status`);
			return body['current_task'] === 'second';
		});
		await (how === 'kill' ? kill() : crew!.close());
		return { id, after: await deploy({ crew: crewThat(onInterrupt) }) };
	}

	it.each(['kill', 'close'] as const)(
		'fails with its execution if on_interrupt says so: %s',
		async (how) => {
			const { id, after } = await interrupt('fail', how);
			expect(await after.untilStatus(id, 'error')).toMatchObject({
				error:
					'The task second was cut off while it was running. What its tools were doing may already be done, and the project’s on_interrupt says that it does not run again.',
			});
			expect((await crew!.executions())[0]?.tasks).toMatchObject([
				{ state: 'completed' },
				{ state: 'failed' },
			]);
		},
	);

	it.each(['kill', 'close'] as const)(
		'runs again once a person has approved that, if it says so: %s',
		async (how) => {
			const { id, after } = await interrupt('ask', how);
			const asks = await after.untilStatus(id, 'pending_human_input');
			expect(asks).toMatchObject({
				task_id: 'second',
				question_id: '1',
				task_output:
					'The task second was cut off while it was running. What its tools were doing may already be done. Approve to run it again, or reject to end the execution.',
			});
			expect(await after.resume(id, { task_id: 'second', question_id: '1' })).toMatchObject({
				status: 200,
				body: { status: 'resumed' },
			});
			expect(await after.untilStatus(id, 'completed')).toMatchObject({
				result: { output: 'output of second' },
			});
			expect((await crew!.executions())[0]?.tasks).toMatchObject([
				{ attempts: 1 },
				{ attempts: 1 },
			]);
		},
	);

	it('fails with its execution if a person rejects it', async () => {
		const { id, after } = await interrupt('ask', 'close');
		await after.untilStatus(id, 'pending_human_input');
		const answer = { task_id: 'second', is_approve: false, human_feedback: 'The mail is out' };
		expect(await after.resume(id, answer)).toMatchObject({
			status: 200,
			body: { message: 'Task second does not run again: the execution has failed.' },
		});
		expect(await after.untilStatus(id, 'error')).toMatchObject({
			error:
				'The task second was cut off while it was running. A person has decided not to run it again: The mail is out',
		});
	});
});

it('still waits for a person, with the same tokens', async () => {
	const before = await deployApart({ crew: 'reviewed-article' });
	const id = await before.kickoff();
	await before.untilStatus(id, 'pending_human_input');
	await kill();
	const after = await deploy({ crew: 'reviewed-article' });
	// If it was killed before the question was stored, the task runs again, and asks again.
	await after.untilStatus(id, 'pending_human_input');
	// The first deployment's client, with its token, asks the second one.
	expect(await after.resume(id)).toMatchObject({ status: 200, body: { status: 'resumed' } });
	await after.untilStatus(id, 'completed');
});

it('says which file to correct if the tokens that it kept cannot be read', async () => {
	writeFileSync(join(dataFolder, 'tokens.json'), '{');
	await expect(startCrewServer({ dataFolder })).rejects.toThrow(
		`${join(dataFolder, 'tokens.json')} cannot be read: correct it`,
	);
	rmSync(join(dataFolder, 'tokens.json'));
	await deploy({});
});

it('delivers a due callback once the receiver is back, and continues to count its attempts', async () => {
	const port = await findFreePort();
	const before = await deployApart({ delivery: { tries: 100, retryDelay: 500 } });
	const id = await before.kickoff({ crewWebhookUrl: `http://127.0.0.1:${port}/late` });
	await before.untilStatus(id, 'completed');
	await kill();
	await receiver.close();
	receiver = await startReceiver(() => 200, port);
	await deploy({});
	await until(() => receiver.received.length === 1, 30_000);
	expect(receiver.received[0]).toMatchObject({ path: '/late', body: { kickoff_id: id } });
	// It has arrived; the crew server knows that once it has the answer.
	const { attempts } = await until(async () => {
		const last = (await crew!.callbacks()).at(-1);
		return last?.fate === 'delivered' && last;
	});
	expect(attempts).toMatchObject([
		...Array<object>(attempts.length - 1).fill({ problem: textWith('ECONNREFUSED') }),
		{ status: 200 },
	]);
	await crew!.close();
	await deploy({});
	expect(await crew!.callbacks()).toMatchObject([{ fate: 'delivered', attempts }]);
	expect(receiver.received).toHaveLength(1);
});

it('fails what cannot continue because the crew has changed', async () => {
	const before = await deployApart({ crew: slow });
	const id = await before.kickoff();
	await until(async () => {
		const { body } = await before.get(`/${id}/status`);
		return body['current_task'] === 'second';
	});
	await kill();
	const after = await deploy({ crew: { ...slow, tasks: slow.tasks.slice(0, 1) } });
	expect(await after.untilStatus(id, 'error')).toMatchObject({
		error:
			'The crew no longer has a task second: the crew was deployed again while this execution was running.',
	});
});

it('refuses a folder that another deployment uses', async () => {
	await deploy({});
	await expect(startCrewServer({ dataFolder })).rejects.toThrow(
		'is in use by another crew server: stop that one, or give another folder with --data',
	);
});

it('says why a folder cannot be read', async () => {
	writeFileSync(join(dataFolder, 'executions.db'), 'no database'.repeat(100));
	await expect(startCrewServer({ dataFolder })).rejects.toThrow(
		/^The folder .* cannot be read \(file is not a database.*\): correct that, or give another/,
	);
});

it('keeps the given number of ended executions', async () => {
	const client = await deploy({ crew: quick, retention: { executions: 3 } });
	const ids: string[] = [];
	for (let count = 0; count < 5; count++) {
		const id = await client.kickoff();
		await client.untilStatus(id, 'completed');
		ids.push(id);
	}
	const statuses = async () =>
		(await Promise.all(ids.map((id) => client.get(`/${id}/status`)))).map(({ status }) => status);
	// Removed executions leave the folder a moment later.
	await until(async () => (await statuses())[1] === 404);
	expect(await statuses()).toEqual([404, 404, 200, 200, 200]);
	expect((await crew!.executions()).map(({ kickoffId }) => kickoffId)).toEqual(ids.slice(-3));
});
