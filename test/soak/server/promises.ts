import { randomUUID } from 'node:crypto';

import type { SeededRandom } from '../../support/seededRandom';
import { Callbacks } from './callbacks';
import { PatientClient, type Body } from './patientClient';

type End = 'completed' | 'stopped' | 'error';

/** How an execution has ended, and the callbacks that its receivers should get, in this order. */
interface Kept {
	end: End;
	told: { begin: string[]; question: string[]; task: string[]; crew: string[] };
}

const KINDS = ['begin', 'question', 'task', 'crew'] as const;
/** How many of the last executions are read again at the end. */
const ASKED_AGAIN = 300;
/** How many executions are deleted, or read slowly, at a time. */
const FORGOTTEN = 10;
const READERS = 20;

/** Clients of one server that may end at any moment, and everything that it has promised them. */
export class Promises {
	readonly kept = new Map<string, Kept>();
	readonly client: PatientClient;
	readonly callbacks: Callbacks;
	private readonly problems: string[] = [];
	private readonly forgotten = new Set<string>();

	constructor(url: string, random: SeededRandom) {
		this.client = new PatientClient(url);
		this.callbacks = new Callbacks(random);
	}

	note(problem: string): void {
		this.problems.push(problem);
	}

	/** Runs one execution from its kickoff to its end, and notes problems. */
	async keep(one: (promises: Promises) => Promise<void>): Promise<void> {
		await one(this).catch((error: unknown) => {
			this.note((error as Error).message);
		});
	}

	/** @returns the execution's identifier */
	async kickoff(inputs: Body): Promise<string> {
		const key = { 'idempotency-key': randomUUID() };
		const body = { inputs, ...this.targets() };
		const answer = await this.client.untilDone('POST', '/kickoff', body, key);
		return String((JSON.parse(answer) as Body)['kickoff_id']);
	}

	targets(): Body {
		return {
			taskWebhookUrl: this.callbacks.urlOf('task'),
			crewWebhookUrl: this.callbacks.urlOf('crew'),
			humanInputWebhook: { url: this.callbacks.urlOf('question') },
			webhooks: {
				url: this.callbacks.urlOf('begin'),
				events: ['crew_kickoff_started'],
				realtime: true,
			},
		};
	}

	/** Whether all expected callbacks have arrived. */
	haveArrived(): boolean {
		return this.missing().length === 0;
	}

	/** The broken promises, once nothing more arrives. */
	async check(): Promise<string[]> {
		const stray = this.callbacks
			.executionsAt('begin')
			.filter((id) => !this.kept.has(id) && !this.forgotten.has(id));
		return [
			...this.problems,
			...this.callbacks.problems,
			...this.missing(),
			...(await this.changed()),
			...stray.map((id) => `${id} was started, but no client got its identifier`),
		];
	}

	private missing(): string[] {
		return [...this.kept].flatMap(([id, kept]) => this.missingOf(id, kept));
	}

	private missingOf(id: string, { end, told }: Kept): string[] {
		return KINDS.flatMap((kind) => {
			const wanted = told[kind].join();
			const came = this.callbacks.of(kind, id).join();
			return came === wanted ? [] : [`${id}, ${end}, has told ${kind}: "${came}", not "${wanted}"`];
		});
	}

	/** Deletes some executions that have ended and sent their callbacks, while others run. */
	async forgetSome(): Promise<void> {
		const settled = [...this.kept].filter(([id, kept]) => this.missingOf(id, kept).length === 0);
		for (const [id] of settled.slice(-FORGOTTEN)) {
			this.kept.delete(id);
			this.forgotten.add(id);
			await this.client.untilDone('DELETE', `/${id}`, undefined, {}, 404);
			const { status } = await this.client.ask('GET', `/${id}/status`);
			if (status === 200) this.note(`${id} was deleted, and is still there`);
		}
	}

	/** Readers of events that come late, read little, and leave in the middle. */
	async readSlowly(chance: number): Promise<void> {
		const ids = [...this.kept.keys()].slice(-READERS);
		const readers = ids.map((id) =>
			this.client.readSlowly(`/${id}/events`, `${id}-${Math.floor(chance * 10)}`),
		);
		for (const status of await Promise.all(readers)) {
			if (![0, 200, 404, 429, 503].includes(status)) this.note(`A reader is answered ${status}`);
		}
	}

	/** Executions that no longer have the end that they had. */
	private async changed(): Promise<string[]> {
		const changed: string[] = [];
		for (const [id, { end }] of [...this.kept].slice(-ASKED_AGAIN)) {
			const { status, text } = await this.client.ask('GET', `/${id}/status`);
			const now = status === 200 ? (JSON.parse(text) as Body)['status'] : status;
			if (now !== end) changed.push(`${id} was ${end}, and is ${String(now)}`);
		}
		return changed;
	}

	/** Records how an execution ended, and checks that its events have no gap and fit that end. */
	async ended(id: string, kept: Kept): Promise<void> {
		const text = await this.client.untilDone('GET', `/${id}/events`);
		const events = [...text.matchAll(/^id: .*-(\d+)\nevent: (.+)$/gm)];
		const areAll = events.every(([, number], index) => Number(number) === index + 1);
		if (!areAll) this.note(`${id} has a gap among its events`);
		const last = kept.end === 'error' ? 'failed' : kept.end;
		if (events.at(-1)?.[2] !== `crew_kickoff_${last}`)
			this.note(`${id} has events without their end`);
		// Only now may it be deleted.
		this.kept.set(id, kept);
	}
}

/** An execution of the crew `reviewed-article` whose question is answered, or which is stopped at the question. */
export async function article(promises: Promises, isStopped: boolean): Promise<void> {
	const { client } = promises;
	const id = await promises.kickoff({ topic: 'Tea' });
	const asked = await client.untilStatus(id, 'pending_human_input');
	if (isStopped) await client.untilDone('POST', `/stop/${id}`, undefined, {}, 400);
	else {
		await client.untilDone('POST', '/resume', {
			execution_id: id,
			task_id: 'write_draft',
			question_id: asked['question_id'],
			human_feedback: 'Good',
			is_approve: true,
			...promises.targets(),
		});
	}
	const end = isStopped ? 'stopped' : 'completed';
	await client.untilStatus(id, end);
	const told = { begin: ['crew_kickoff_started'], question: ['write_draft'] };
	await promises.ended(id, {
		end,
		told: isStopped
			? { ...told, task: [], crew: [] }
			: { ...told, task: ['write_draft', 'publish'], crew: ['end'] },
	});
}

/** An execution of a project, which may fail together with its process. */
export async function work(promises: Promises): Promise<void> {
	const id = await promises.kickoff({});
	const { status } = await promises.client.untilStatus(id, 'completed', 'error');
	const isDone = status === 'completed';
	const tasks = promises.callbacks.of('task', id);
	await promises.ended(id, {
		end: isDone ? 'completed' : 'error',
		told: {
			begin: ['crew_kickoff_started'],
			question: [],
			// A process may die after its task.
			task: isDone ? ['work'] : [...tasks],
			crew: isDone ? ['end'] : [],
		},
	});
}
