import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { startReceiver, type Receiver } from '../crew-server/support/receiver';
import type { SeededRandom } from '../support/seededRandom';

type Body = Record<string, unknown>;

/** How often a callback is refused at most: the crew server gives none of them up then. */
const MOST_REFUSALS = 2;
/** Milliseconds within which an execution has to come to its end, whatever happens to the server. */
const PATIENCE = 180_000;
export const TOKEN = 'token-of-the-soak';

/** Clients of one server that can end at any moment, and all that it has promised them. */
export class Promises {
	/** How each execution is to end, by its identifier. */
	readonly made = new Map<string, 'completed' | 'stopped'>();
	readonly problems: string[] = [];
	private readonly refusals = new Map<string, number>();
	private receiver!: Receiver;

	constructor(
		private readonly url: string,
		private readonly random: SeededRandom,
	) {}

	/** @returns ends it */
	async listen(): Promise<() => Promise<void>> {
		this.receiver = await startReceiver((_index, { headers }) => this.receive(headers));
		return () => this.receiver.close();
	}

	private receive(headers: Body): number | 'hang' {
		const id = String(headers['webhook-id']);
		const refusals = this.refusals.get(id) ?? 0;
		if (refusals >= MOST_REFUSALS || this.random.fraction() > 0.1) return 200;
		this.refusals.set(id, refusals + 1);
		return this.random.pick([503, 503, 503, 'hang'] as const);
	}

	/** Takes one execution from its kickoff to its end, and looks at what is told of it. */
	async keepOne(): Promise<void> {
		const targets = {
			taskWebhookUrl: `${this.receiver.url}/task`,
			crewWebhookUrl: `${this.receiver.url}/crew`,
			webhooks: {
				url: `${this.receiver.url}/begin`,
				events: ['crew_kickoff_started'],
				realtime: true,
			},
		};
		const key = { 'idempotency-key': randomUUID() };
		const kickoff = { inputs: { topic: 'Tea' }, ...targets };
		const { kickoff_id } = await this.untilDone('POST', '/kickoff', kickoff, key);
		const id = String(kickoff_id);
		const asked = await this.untilStatus(id, 'pending_human_input');
		const isStopped = this.random.fraction() < 0.2;
		this.made.set(id, isStopped ? 'stopped' : 'completed');
		const answer = {
			execution_id: id,
			task_id: 'write_draft',
			question_id: asked['question_id'],
			human_feedback: 'Good',
			is_approve: true,
			...targets,
		};
		if (isStopped) await this.untilDone('POST', `/stop/${id}`, undefined, {}, 400);
		else await this.untilDone('POST', '/resume', answer);
		await this.untilStatus(id, isStopped ? 'stopped' : 'completed');
		await this.checkEvents(id, isStopped ? 'crew_kickoff_stopped' : 'crew_kickoff_completed');
	}

	/** Whether what was to arrive has: at least once, and what follows something else after it. */
	haveArrived(): boolean {
		return this.missing().length === 0;
	}

	/** What is not as it was promised, once nothing more comes. */
	check(): string[] {
		const begun = new Set(this.executionsAt('/begin'));
		const stray = [...begun].filter((id) => !this.made.has(id));
		return [
			...this.problems,
			...this.missing(),
			...stray.map((id) => `${id} was started, and nobody was told its identifier`),
		];
	}

	private missing(): string[] {
		const [begun, completed] = ['/begin', '/crew'].map((path) => new Set(this.executionsAt(path)));
		const tasks = new Map<string, string[]>();
		for (const { kickoff_id, name } of this.receiver.bodiesAt('/task')) {
			const names = tasks.get(String(kickoff_id)) ?? [];
			if (!names.includes(String(name))) names.push(String(name));
			tasks.set(String(kickoff_id), names);
		}
		return [...this.made].flatMap(([id, end]) => {
			const isCompleted = end === 'completed';
			const names = tasks.get(id)?.join() ?? '';
			return [
				...(begun?.has(id) ? [] : [`${id}: nothing has told of its begin`]),
				...(completed?.has(id) === isCompleted
					? []
					: [`${id} is ${end}, and its end says another`]),
				...(names === (isCompleted ? 'write_draft,publish' : '') ? [] : [`${id} tells: ${names}`]),
			];
		});
	}

	private executionsAt(path: string): string[] {
		return this.receiver.bodiesAt(path).map(({ kickoff_id, events }) => {
			const [event] = (events ?? []) as Array<{ execution_id: string }>;
			return String(event?.execution_id ?? kickoff_id);
		});
	}

	private async checkEvents(id: string, last: string): Promise<void> {
		const { text } = await this.untilDone('GET', `/${id}/events`);
		const events = [...String(text).matchAll(/^id: .*-(\d+)\nevent: (.+)$/gm)];
		const areAll = events.every(([, number], index) => Number(number) === index + 1);
		if (!areAll) this.problems.push(`${id} has a gap among its events`);
		if (events.at(-1)?.[2] !== last) this.problems.push(`${id} has events without their end`);
	}

	private async untilStatus(id: string, wanted: string): Promise<Body> {
		const end = Date.now() + PATIENCE;
		for (;;) {
			const body = await this.untilDone('GET', `/${id}/status`);
			if (body['status'] === wanted) return body;
			if (Date.now() > end) throw new Error(`${id} is not ${wanted}: ${JSON.stringify(body)}`);
			await sleep(100);
		}
	}

	/** Asks again whatever the server may not have done, as clients do. @param orStatus is also taken for done */
	private async untilDone(
		method: string,
		path: string,
		body?: Body,
		headers: Record<string, string> = {},
		orStatus = 200,
	): Promise<Body> {
		const end = Date.now() + PATIENCE;
		for (;;) {
			try {
				const answer = await fetch(this.url + path, {
					method,
					headers: {
						authorization: `Bearer ${TOKEN}`,
						...(body ? { 'content-type': 'application/json' } : {}),
						...headers,
					},
					body: JSON.stringify(body),
				});
				const text = await answer.text();
				const isDone = answer.ok || answer.status === orStatus;
				if (isDone) return path.endsWith('/events') ? { text } : (JSON.parse(text) as Body);
				if (answer.status < 500) throw new Refused(`${path} gives ${answer.status}: ${text}`);
			} catch (error) {
				if (error instanceof Refused) throw error;
				// The server is away.
			}
			if (Date.now() > end) throw new Error(`${path} was not answered`);
			await sleep(200);
		}
	}
}

class Refused extends Error {}
