import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { deployApart, type Apart } from '../../crew-server/support/apart';
import { Client } from '../../crew-server/support/client';
import { startReceiver, type Receiver } from '../../crew-server/support/receiver';
import { until } from '../../crew-server/support/until';
import { copyProject, PATIENCE, python, type ProjectCopy } from './deployment';
import { startScriptedModel, type ScriptedModel } from './scriptedModel';

/** Who to kill, and when. */
export interface Kill {
	what: 'server' | 'host' | 'child';
	/** After a number of messages, or of entries in the store. */
	on: 'message' | 'entry';
	at: number;
}

/** What was seen of an execution, in order. */
interface Seen {
	/** The task of each call of the model. */
	calls: string[];
	/** Each event with its task. */
	events: string[];
	/** Each callback of other kinds: path and body. */
	callbacks: string[];
}

/** Milliseconds that an execution may take including the start of another server. */
const PATIENCE_WITH_A_START = 2 * PATIENCE;
/** What the messages about each task have in them. */
const TASKS = {
	draft_task: 'Draft a text',
	edit_task: 'Shorten the draft',
	note_task: 'Make a note',
};
const HOURS = 3_600_000;
const REMARK = 'Say it better';
/** What differs each time. */
const OF_THE_RUN = { kickoff_id: undefined, execution_id: undefined, token_usage: undefined };
const EVENTS = [
	'crew_kickoff_started',
	'crew_kickoff_completed',
	'crew_kickoff_failed',
	'task_started',
	'task_completed',
	'task_failed',
	'agent_execution_started',
	'agent_execution_completed',
	'llm_call_started',
	'llm_call_completed',
	'tool_usage_started',
	'tool_usage_finished',
];

let model: ScriptedModel;
let receiver: Receiver;
let copy: ProjectCopy;
let apart: Apart;
/** The number of runs, since a repeated delivery after a kill may come during the next run. */
let runs = 0;
let undisturbed: Seen;

/** Before all tests of a file, starts what they need and runs an execution without a kill; after them, ends everything. */
export function prepareKills(): void {
	beforeAll(async () => {
		// The first task uses a tool; after a rejection, the text is different.
		model = await startScriptedModel(({ messages, tools }) => {
			const wantsTool = tools && !messages.some(({ role }) => role === 'tool');
			if (wantsTool) return { tool: 'look_up', arguments: { what: 'Tea' } };
			return JSON.stringify(messages.at(-1)).includes(REMARK) ? 'A better text' : 'A text';
		});
		receiver = await startReceiver();
		copy = copyProject('desk', model.env);
		apart = await deployToBeKilled();
		const { status, seen } = await run();
		expect(status).toBe('completed');
		expect(seen.calls).toEqual(
			['draft', 'draft', 'draft', 'edit', 'note'].map((one) => `${one}_task`),
		);
		undisturbed = seen;
	});
	afterAll(async () => {
		await apart.kill();
		copy.remove();
		await receiver.close();
		await model.close();
	});
}

const killed = () => join(copy.folder, 'killed');

async function deployToBeKilled(): Promise<Apart> {
	return await deployApart(
		{ crew: copy.folder, project: { python }, dataFolder: join(copy.folder, 'data') },
		{ NODE_OPTIONS: `--require "${join(__dirname, 'kill.cjs')}"`, CREW_KILLED: killed() },
	);
}

async function deployAgainIfKilled(): Promise<void> {
	if (apart.child.signalCode !== null) apart = await deployToBeKilled();
}

/** Runs a crew that asks a person after each task; the first answer is a rejection, all others approve. */
async function run(kill?: Kill) {
	model.asked.length = 0;
	runs += 1;
	rmSync(killed(), { force: true });
	const url = (kind: string) => `${receiver.url}/${runs}/${kind}`;
	const callbacks = {
		taskWebhookUrl: url('task'),
		stepWebhookUrl: url('step'),
		crewWebhookUrl: url('crew'),
		humanInputWebhook: { url: url('human') },
		webhooks: { url: url('events'), events: EVENTS, realtime: true },
	};
	// Messages before the store has the execution promise nothing.
	if (kill?.on === 'entry') await arm(kill);
	// A client that gets no answer can still find it: it is in the store by then.
	const answered = await new Client(apart.crew)
		.kickoff({ inputs: { topic: 'Tea' }, ...callbacks })
		.catch(() => undefined);
	if (kill?.on === 'message') await arm(kill);
	const end = await until(async () => {
		await deployAgainIfKilled();
		const kickoffId = answered ?? events()[0]?.execution_id;
		// The server may be killed at any moment.
		return kickoffId && (await step(apart, kickoffId, callbacks).catch(() => undefined));
	}, PATIENCE_WITH_A_START);
	const { status, error } = end as { status: string; error?: string };
	// It may be killed after it has reported the end in the status, and before it has called back.
	await until(async () => {
		await deployAgainIfKilled();
		return hasEnd();
	}, PATIENCE_WITH_A_START);
	await disarm();
	return { status, error, seen: seen(), wasKilled: existsSync(killed()) };
}

async function arm(kill: Kill): Promise<void> {
	const isArmed = once(apart.child, 'message');
	apart.child.send(kill);
	await isArmed;
}

/** Stops killing, and restarts everything that was killed. */
async function disarm(): Promise<void> {
	const { child } = apart;
	if (child.signalCode === null) {
		const isGone = once(child, 'exit');
		const isDisarmed = once(child, 'message');
		// It may be killed at this very moment.
		child.send({}, () => undefined);
		await Promise.race([isDisarmed, isGone]);
	}
	await deployAgainIfKilled();
}

/** Answers an open question. @returns the final status, once there is one */
async function step({ crew }: Pick<Apart, 'crew'>, kickoffId: string, callbacks: object) {
	const client = new Client(crew);
	const { body } = await client.get(`/${kickoffId}/status`);
	if (body['status'] === 'pending_human_input') {
		const isApprove = body['task_id'] !== 'draft_task' || body['task_output'] === 'A better text';
		await client.post('/resume', {
			execution_id: kickoffId,
			task_id: body['task_id'],
			human_feedback: isApprove ? '' : REMARK,
			is_approve: isApprove,
			...callbacks,
		});
	}
	return ['completed', 'error'].includes(String(body['status'])) && body;
}

interface Event {
	id: string;
	execution_id: string;
	type: string;
	data: { task_id?: string };
}

/** The callbacks of the newest run. */
function received() {
	const start = `/${runs}`;
	return receiver.received
		.filter(({ path }) => path.startsWith(`${start}/`))
		.map(({ path, body }) => ({ path: path.slice(start.length), body }));
}

/** The received events of the stream; after a kill, earlier ones may come once more. */
function events(): Event[] {
	const all = received()
		.filter(({ path }) => path === '/events')
		.flatMap(({ body }) => body['events'] as Event[]);
	return all.filter(({ id }, index) => all.findIndex((one) => one.id === id) === index);
}

/** How many steps an execution reports: one with the tool, and the end of each task. */
const STEPS = 4;

/** Whether the last callback has come at each path, since paths do not wait for each other. */
function hasEnd(): boolean {
	const hasEvent = (wanted: string) => events().some(({ type }) => type === wanted);
	if (hasEvent('crew_kickoff_failed')) return true;
	const bodies = (of: string) =>
		new Set(received().flatMap(({ path, body }) => (path === of ? [JSON.stringify(body)] : [])))
			.size;
	return (
		hasEvent('crew_kickoff_completed') &&
		bodies('/crew') > 0 &&
		bodies('/task') >= Object.keys(TASKS).length &&
		bodies('/step') >= STEPS
	);
}

function seen(): Seen {
	const calls = model.asked.map(({ messages }) => {
		const text = JSON.stringify(messages);
		return Object.entries(TASKS).find(([, description]) => text.includes(description))?.[0] ?? '';
	});
	const callbacks = received()
		.filter(({ path }) => path !== '/events')
		.map(({ path, body }) => JSON.stringify([path, { ...body, ...OF_THE_RUN }]))
		// The project numbers its processes, and so the first one that lives long enough.
		.map((text) => text.replace(/edition \d+/g, 'edition'));
	return {
		calls,
		events: events().map(({ type, data }) => `${type} ${data.task_id ?? ''}`),
		// Callbacks from before a kill can come once more, and so can those of a task that starts again.
		// They are in order at each path, but do not wait for other paths.
		callbacks: [...new Set(callbacks)].sort(byPath),
	};
}

const byPath = (one: string, other: string) => pathOf(one).localeCompare(pathOf(other));
const pathOf = (callback: string) => (JSON.parse(callback) as [string])[0];

/** Registers tests that kill one of the three at each message and each entry in the store, which take half an hour or more. */
export function killAtEachStep(what: Kill['what']): void {
	prepareKills();

	it.each(['entry', 'message'] as const)(
		`loses nothing and does nothing twice if the ${what} is killed, at each %s`,
		async (on) => {
			const broken: unknown[] = [];
			let wasKilled = true;
			let at = 0;
			while (wasKilled && broken.length < 5) {
				at += 1;
				wasKilled = await checkKill({ what, on, at }).catch((error: unknown) => {
					broken.push([at, error]);
					return true;
				});
			}
			expect(broken).toEqual([]);
			console.log(`${at - 1} kills of the ${what}, at each ${on}`);
		},
		2 * HOURS,
	);
}

/**
 * Checks that after a kill, nothing is lost, nothing is done twice, and everything is reported in order.
 *
 * @returns whether the kill came before the end
 */
export async function checkKill(kill: Kill): Promise<boolean> {
	const { status, error, seen: got, wasKilled } = await run(kill);
	if (status === 'error') {
		// An execution whose own process ends does not start again.
		expect([kill.what, error]).toEqual(['child', expect.stringContaining('ended by itself')]);
		expect(got.events.slice(-1)).toEqual(['crew_kickoff_failed ']);
		const told = got.events.filter((event) => !event.includes('failed'));
		expect(undisturbed.events.slice(0, told.length)).toEqual(told);
		expect(undisturbed.calls.slice(0, got.calls.length)).toEqual(got.calls);
		return true;
	}
	expect(status).toBe('completed');
	expect(got.callbacks).toEqual(undisturbed.callbacks);
	expect(got.events).toEqual(withRepetition(got.events, undisturbed.events));
	expect(got.calls).toEqual(withRepetition(got.calls, undisturbed.calls));
	return wasKilled;
}

/** What must come, with the repeated part of one task that may also come. */
function withRepetition(came: string[], whole: string[]): string[] {
	const more = came.length - whole.length;
	if (more <= 0) return whole;
	const taskOf = (one: string) => one.split(' ').at(-1);
	for (let end = more; end <= whole.length; end++) {
		const repeated = whole.slice(end - more, end);
		const isOneTask = new Set(repeated.map(taskOf)).size === 1;
		const expected = [...whole.slice(0, end), ...repeated, ...whole.slice(end)];
		if (isOneTask && expected.join() === came.join()) return expected;
	}
	return whole;
}
