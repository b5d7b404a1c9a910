import { setTimeout as sleep } from 'node:timers/promises';

import { startReceiver, type Receiver } from '../../crew-server/support/receiver';
import type { SeededRandom } from '../../support/seededRandom';

/** How often a callback is refused at most: so often that the crew server does not give up. */
const MOST_REFUSALS = 2;
/** Milliseconds that a slow answer takes. */
const SLOW = 3_000;

interface Arrived {
	/** The numbers at the end of the identifiers, in the order of their first arrival. */
	numbers: number[];
	/** What each is about. */
	told: string[];
}

/** A receiver that is slow, refuses and hangs at random, and the callbacks that arrived. */
export class Callbacks {
	readonly problems: string[] = [];
	private readonly refusals = new Map<string, number>();
	private readonly bodies = new Map<string, string>();
	private readonly arrived = new Map<string, Arrived>();
	private receiver!: Receiver;
	count = 0;

	constructor(private readonly random: SeededRandom) {}

	/** @returns ends it */
	async listen(): Promise<() => Promise<void>> {
		this.receiver = await startReceiver((_index, { path, headers, body }) => {
			// All requests would not fit into memory.
			this.receiver.received.length = 0;
			return this.receive(path, String(headers['webhook-id']), body);
		});
		return () => this.receiver.close();
	}

	urlOf(kind: string): string {
		return `${this.receiver.url}/${kind}`;
	}

	/** What has arrived at a URL about an execution, without repetitions. */
	of(kind: string, kickoffId: string): readonly string[] {
		return this.arrived.get(`/${kind} ${kickoffId}`)?.told ?? [];
	}

	/** The executions that callbacks at a URL were about. */
	executionsAt(kind: string): string[] {
		const prefix = `/${kind} `;
		return [...this.arrived.keys()]
			.filter((key) => key.startsWith(prefix))
			.map((key) => key.slice(prefix.length));
	}

	private receive(path: string, id: string, body: Record<string, unknown>) {
		this.count += 1;
		const refusals = this.refusals.get(id) ?? 0;
		const chance = this.random.fraction();
		if (refusals < MOST_REFUSALS && chance < 0.1) {
			this.refusals.set(id, refusals + 1);
			return chance < 0.02 ? 'hang' : 503;
		}
		this.take(path, id, body);
		return chance > 0.98 ? sleep(SLOW, 200) : 200;
	}

	private take(path: string, id: string, body: Record<string, unknown>): void {
		const text = JSON.stringify(body);
		const before = this.bodies.get(id);
		this.bodies.set(id, text);
		if (before !== undefined) {
			if (before !== text) this.problems.push(`${id} came twice, with two bodies`);
			return;
		}
		const [event] = (body['events'] ?? []) as Array<{ execution_id: string; type: string }>;
		const key = `${path} ${event?.execution_id ?? String(body['kickoff_id'] ?? body['execution_id'])}`;
		const { numbers, told } = this.arrived.get(key) ?? { numbers: [], told: [] };
		const number = Number(id.slice(id.lastIndexOf('-') + 1));
		if (number <= (numbers.at(-1) ?? 0)) this.problems.push(`${id} came late at ${key}`);
		this.arrived.set(key, {
			numbers: [...numbers, number],
			told: [...told, event?.type ?? ((body['name'] ?? body['task_id'] ?? 'end') as string)],
		});
	}
}
