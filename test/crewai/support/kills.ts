import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { deployApart, type Apart } from '../../crew-server/support/apart';
import { Client } from '../../crew-server/support/client';
import { startReceiver, type Receiver } from '../../crew-server/support/receiver';
import { until } from '../../crew-server/support/until';
import { copyProject, PATIENCE, python } from './deployment';
import { startScriptedModel, type ScriptedModel } from './scriptedModel';

/** Whom to kill, and when. */
export interface Kill {
	what: 'server' | 'host' | 'child';
	/** As soon as so many messages of children have come, or so many journal entries are written. */
	on: 'message' | 'entry';
	at: number;
}

const TASKS = ['draft_task', 'edit_task', 'note_task'];
/** Calls of the model that each task takes: the first one uses a tool. */
const CALLS = [2, 1, 1];

let model: ScriptedModel;
let receiver: Receiver;

/** Starts the model and the receiver of callbacks before all tests of a file, and ends them after. */
export function prepareKills(): void {
	beforeAll(async () => {
		model = await startScriptedModel(({ messages, tools }) => {
			const wantsTool = tools && !messages.some(({ role }) => role === 'tool');
			return wantsTool ? { tool: 'look_up', arguments: { what: 'Tea' } } : 'A text';
		});
		receiver = await startReceiver();
	});
	afterAll(async () => {
		await receiver.close();
		await model.close();
	});
}

/**
 * Runs a crew that asks a person after each task; all is approved. One process is killed, and the server is started
 * again if it was that one.
 *
 * @returns how the execution has ended, and whether the kill has come before that
 */
async function runWith(kill: Kill) {
	model.asked.length = 0;
	receiver.received.length = 0;
	const copy = copyProject('desk', model.env);
	const options = { crew: copy.folder, project: { python }, dataFolder: join(copy.folder, 'data') };
	const NODE_OPTIONS = `--require "${join(__dirname, 'kill.cjs')}"`;
	const mark = join(copy.folder, 'killed');
	const CREW_KILL = JSON.stringify({ ...kill, mark });
	let apart = await deployApart(options, { NODE_OPTIONS, CREW_KILL });
	const callbacks = {
		taskWebhookUrl: `${receiver.url}/task`,
		humanInputWebhook: { url: `${receiver.url}/human` },
	};
	const kickoffId = await new Client(apart.crew).kickoff({
		inputs: { topic: 'Tea' },
		...callbacks,
	});
	const status = await until(async () => {
		if (apart.child.signalCode !== null) apart = await deployApart(options);
		// The server may be killed at any moment.
		return await step(apart, kickoffId, callbacks).catch(() => undefined);
	}, PATIENCE);
	await until(
		() => receiver.received.filter(({ path }) => path === '/task').length >= doneTasks(status),
		PATIENCE,
	);
	await apart.kill();
	const wasKilled = existsSync(mark);
	copy.remove();
	return { status, wasKilled };
}

/** Approves if a person is asked. @returns what the execution has come to, once it has */
async function step({ crew }: Pick<Apart, 'crew'>, kickoffId: string, callbacks: object) {
	const client = new Client(crew);
	const { body } = await client.get(`/${kickoffId}/status`);
	if (body['status'] === 'pending_human_input') {
		await client.post('/resume', {
			execution_id: kickoffId,
			task_id: body['task_id'],
			human_feedback: '',
			is_approve: true,
			...callbacks,
		});
	}
	return ['completed', 'error'].includes(String(body['status'])) && body;
}

const doneTasks = ({ status }: Record<string, unknown>) => (status === 'completed' ? 3 : 0);

/** Calls of the model by task. */
function calls(): number[] {
	const texts = model.asked.map(({ messages }) => JSON.stringify(messages));
	const last = (text: string) =>
		['Draft a text', 'Shorten the draft', 'Make a note'].findIndex((task) => text.includes(task));
	return TASKS.map((_, task) => texts.filter((text) => last(text) === task).length);
}

/** What came to a callback, without the repetitions that a kill may cause. */
function came(path: string, name: string): unknown[] {
	const names = receiver.received.filter((one) => one.path === path).map(({ body }) => body[name]);
	return names.filter((one, index) => one !== names[index - 1]);
}

/**
 * Checks that nothing is lost and nothing done twice over a kill.
 *
 * @returns whether it has come before the end
 */
export async function checkKill(kill: Kill): Promise<boolean> {
	const { status, wasKilled } = await runWith(kill);
	const made = calls();
	if (status['status'] === 'error') {
		// What ends by itself is not begun again.
		expect([kill.what, status['error']]).toEqual([
			'child',
			expect.stringContaining('ended by itself'),
		]);
		expect(made.map((count, task) => count <= (CALLS[task] ?? 0))).toEqual([true, true, true]);
		return true;
	}
	expect(status['status']).toBe('completed');
	expect(came('/task', 'name')).toEqual(TASKS);
	expect(came('/human', 'task_id')).toEqual(TASKS);
	// Those of one task at most are made again, and those at most once.
	const more = made.map((count, task) => count - (CALLS[task] ?? 0));
	expect(Math.min(...more)).toBe(0);
	expect(more.filter((count) => count > 0).length).toBeLessThanOrEqual(1);
	expect(more.every((count, task) => count <= (CALLS[task] ?? 0))).toBe(true);
	return wasKilled;
}
