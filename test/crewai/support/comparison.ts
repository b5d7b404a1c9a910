import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { deployApart, type Apart } from '../../crew-server/support/apart';
import { Client } from '../../crew-server/support/client';
import { startReceiver, type Receiver } from '../../crew-server/support/receiver';
import { until } from '../../crew-server/support/until';
import { copyProject, PATIENCE, python, type ProjectCopy } from './deployment';
import { pauseOrEnd } from './questions';
import type { ScriptedModel } from './scriptedModel';

export const FEEDBACK = 'Say more about milk';

/** What can be compared of an execution. */
export interface Run {
	status: Record<string, unknown>;
	/** The conversations that were sent to the model. */
	asked: string[];
	embeddings: number;
	/** What came to each kind of callback. */
	callbacks: Record<string, Array<Record<string, unknown>>>;
	/** What the project's own callbacks were called with. */
	called: string;
	/** The tasks that asked, once for each question. */
	questions: string[];
}

/** A deployment of a project in a separate process. */
export interface Place {
	folder: string;
	readonly client: Client;
	/** Kills the server, and starts another. */
	restart(): Promise<void>;
}

/** A project whose tasks ask if the input `asks` is true. */
export interface Compared {
	project: string;
	inputs?: Record<string, unknown>;
	/** The run with questions has its own copy of the project, which this prepares. */
	withCopy?: (folder: string) => void;
	/** What else to try in the deployment. */
	afterwards?: (place: Place) => Promise<void>;
}

/**
 * Runs a project without and with questions, each of which is rejected once and then approved. No process waits for the
 * answers, and the server is killed once.
 */
export async function runBoth(
	model: ScriptedModel,
	{ project, inputs = {}, withCopy, afterwards }: Compared,
): Promise<{ plain: Run; asking: Run }> {
	let recorder = await Recorder.start(model, project);
	try {
		const plain = await recorder.run({ ...inputs, asks: false });
		if (withCopy) {
			await recorder.close();
			recorder = await Recorder.start(model, project, withCopy);
		}
		const asking = await recorder.run({ ...inputs, asks: true });
		await afterwards?.(recorder);
		return { plain, asking };
	} finally {
		await recorder.close();
	}
}

/** Each of these tasks asks twice. */
export const twice = (...tasks: string[]): string[] => [...tasks, ...tasks];

/** Runs executions in a deployment in a separate process, and records what they do. */
class Recorder implements Place {
	readonly folder: string;

	private constructor(
		private readonly model: ScriptedModel,
		private readonly copy: ProjectCopy,
		private readonly receiver: Receiver,
		private apart: Apart,
	) {
		this.folder = copy.folder;
	}

	static async start(
		model: ScriptedModel,
		project: string,
		change: Compared['withCopy'] = () => undefined,
	): Promise<Recorder> {
		const copy = copyProject(project, model.env);
		change(copy.folder);
		return new Recorder(model, copy, await startReceiver(), await startApart(copy));
	}

	async run(inputs: Record<string, unknown>): Promise<Run> {
		const { model, receiver } = this;
		model.asked.length = 0;
		model.embeddings = 0;
		receiver.received.length = 0;
		const called = join(this.folder, 'called.txt');
		rmSync(called, { force: true });
		const callbacks = callbacksTo(receiver.url);
		const kickoffId = await this.client.kickoff({
			inputs: { topic: 'Tea', ...inputs },
			...callbacks,
		});
		const questions: string[] = [];
		let status = await pauseOrEnd(this.client, kickoffId);
		while (status['status'] === 'pending_human_input') {
			const taskId = String(status['task_id']);
			const isApprove = questions.includes(taskId);
			// At the first answer that approves, all questions before it were rejected once.
			if (isApprove && new Set(questions).size === questions.length) {
				// The status shows a question a moment before its callback is sent.
				await until(() => this.came('/human').length > questions.length, PATIENCE);
				await this.restart();
			}
			questions.push(taskId);
			await this.client.post('/resume', {
				execution_id: kickoffId,
				task_id: taskId,
				human_feedback: isApprove ? '' : FEEDBACK,
				is_approve: isApprove,
				...callbacks,
			});
			status = await pauseOrEnd(this.client, kickoffId);
		}
		await until(() => status['status'] === 'error' || this.hasAllOf(status), PATIENCE);
		return {
			status: comparable(status) as Run['status'],
			asked: model.asked.map(({ messages }) =>
				JSON.stringify(messages).replaceAll(/call_\d+/g, 'call'),
			),
			embeddings: model.embeddings,
			callbacks: Object.fromEntries(
				['/task', '/step', '/crew', '/human'].map((path) => [path.slice(1), this.came(path)]),
			),
			called: existsSync(called) ? readFileSync(called, 'utf8') : '',
			questions,
		};
	}

	async close(): Promise<void> {
		await this.apart.kill();
		await this.receiver.close();
		this.copy.remove();
	}

	get client(): Client {
		return new Client(this.apart.crew);
	}

	async restart(): Promise<void> {
		await this.apart.kill();
		this.apart = await startApart(this.copy);
	}

	/** Callbacks are in order at each path, but do not wait for other paths. */
	private hasAllOf({ result }: Record<string, unknown>): boolean {
		const { tasks } = result as { tasks: unknown[] };
		return this.came('/crew').length > 0 && this.came('/task').length >= tasks.length;
	}

	private came(path: string): Array<Record<string, unknown>> {
		return this.receiver.received
			.filter((one) => one.path === path)
			.map(({ body }) => comparable(body) as Record<string, unknown>);
	}
}

async function startApart({ folder }: ProjectCopy): Promise<Apart> {
	return await deployApart({ crew: folder, project: { python }, dataFolder: join(folder, 'data') });
}

const callbacksTo = (url: string) => ({
	taskWebhookUrl: `${url}/task`,
	stepWebhookUrl: `${url}/step`,
	crewWebhookUrl: `${url}/crew`,
	humanInputWebhook: { url: `${url}/human` },
});

/** Fields that differ from run to run. */
const VARYING = ['kickoff_id', 'execution_id', 'execution_time', 'token_usage', 'timestamp'];

function comparable(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(comparable);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([name]) => !VARYING.includes(name))
			.map(([name, one]) => [name, comparable(one)]),
	);
}

/**
 * Checks that questions have cost nothing except the rejections, and changed nothing.
 *
 * @param questions the tasks that ask, once for each question
 */
export function expectSame(
	{ plain, asking }: { plain: Run; asking: Run },
	questions: string[],
): void {
	expect(asking.status).toEqual(plain.status);
	expect(asking.status).toMatchObject({ status: 'completed' });
	expect(asking.questions.toSorted()).toEqual(questions.toSorted());
	expectSent(
		asking.callbacks['human']?.map(({ task_id }) => task_id),
		questions,
	);
	const isRejection = (conversation: string) => conversation.includes(FEEDBACK);
	const rejections = asking.asked.filter(isRejection);
	expect(new Set(rejections).size).toBe(new Set(questions).size);
	expectSent(rejections, [...new Set(rejections)]);
	expect(asking.asked.filter((one) => !isRejection(one)).toSorted()).toEqual(
		plain.asked.toSorted(),
	);
	expect(asking.embeddings).toBe(plain.embeddings);
	for (const kind of ['task', 'crew']) {
		expectSent(asking.callbacks[kind], plain.callbacks[kind] ?? []);
	}
	expect(asking.called.split('\n').toSorted()).toEqual(plain.called.split('\n').toSorted());
}

/** Each as often as expected, with one exception: what was being sent when the server was killed is sent again. */
function expectSent(sent: readonly unknown[] = [], expected: readonly unknown[]): void {
	const left = sent.map((one) => JSON.stringify(one));
	const texts = expected.map((one) => JSON.stringify(one));
	const missing = texts.filter((text) => {
		const found = left.indexOf(text);
		if (found >= 0) left.splice(found, 1);
		return found < 0;
	});
	expect(missing).toEqual([]);
	expect(left.slice(1)).toEqual([]);
	expect(texts).toEqual(expect.arrayContaining(left));
}
