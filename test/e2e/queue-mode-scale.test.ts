import type { INode } from 'n8n-workflow';
import type { ExecutionSummary } from '../../sandbox/src/n8n-types';
import type { N8nProcess } from '../../sandbox/src/n8n-process';
import { startQueueMode, type QueueMode } from '../../sandbox/src/queue-mode';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { SeededRandom } from '../support/seededRandom';
import { node } from './support/chain';
import { chatEngine } from './support/chatEngine';
import { heldCrew, startHeldModel, type HeldModel } from './support/heldCrew';
import { activateCrewWorkflow, results } from './support/runs';

const COUNT = 300;
/** Crews that end at about the same time. */
const AT_ONCE = 20;
const MINUTES = 60_000;
/** Milliseconds. A dead worker loses its jobs when its lock on them ends; n8n's defaults are longer. */
const LOSES_JOBS_SOON = {
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

describe('hundreds of executions in queue mode', () => {
	const teardown = new Teardown();
	let queueMode: QueueMode;
	let model: HeldModel;
	let victim: N8nProcess;

	beforeAll(async () => {
		model = await startHeldModel();
		teardown.add(() => model.close());
		queueMode = await startQueueMode({
			workers: 2,
			env: LOSES_JOBS_SOON,
			teardown,
			crew: { engine: chatEngine(heldCrew, model.url) },
		});
		victim = queueMode.workers[0]!;
	});

	afterAll(() => teardown.run());

	test(
		'none of 300 parked executions is lost when a worker is killed while their crews end',
		async () => {
			const running = await activateCrewWorkflow(queueMode, { wait: 'end' });
			const { workflow } = running;
			const topics = await parkRuns('run', COUNT, running);
			const count = topics.length;
			expect(new Set(topics).size).toBe(count);
			const random = new SeededRandom();
			process.stderr.write(`${count} crews end in the order of seed ${random.seed}\n`);
			const ends = new Ends(random.shuffle(topics));

			await ends.goOnTo(100);
			await ends.allSeen();
			// It is gone before a callback of the next fifty reaches its queue.
			const gone = victim.kill();
			ends.release(150);
			await gone;
			const restarted = victim.start();
			await ends.goOnTo(250);
			await restarted;
			const doneBefore = finishedBy(victim);
			await ends.goOnTo(count);

			const executions = await queueMode.api.waitForExecutionsOf(workflow.id, count, {
				timeout: 5 * MINUTES,
				interval: 1_000,
			});
			expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
			const outcomes = executions.flatMap(results);
			expect(outcomes.filter(({ status }) => status !== 'completed')).toEqual([]);
			expect(outcomes.map(({ asked, output }) => [asked, output]).sort()).toEqual(
				topics.map((topic) => [topic, `All about ${topic}`]).sort(),
			);
			expect(await queueMode.api.listExecutions({ workflowId: workflow.id })).toHaveLength(count);
			expect(await startedTopics('run')).toEqual(topics);
			expect(finishedBy(victim)).toBeGreaterThan(doneBefore);
		},
		15 * MINUTES,
	);

	test(
		'n8n ends what runs on a killed worker, and nothing else',
		async () => {
			// More than one worker runs at once, so that both have some.
			const running = await activateCrewWorkflow(queueMode, { wait: 'end' }, [thinkOn(model.url)]);
			const { workflow } = running;
			const topics = await parkRuns('busy run', 12, running);
			for (const topic of topics) model.release(topic);
			const later = topics.map((topic) => `after ${topic}`);
			await waitFor('all to be running', () => later.every((one) => model.held().includes(one)));

			await victim.kill();
			const lost = runningOn(victim);
			for (const topic of later) model.release(topic);
			const executions = await queueMode.api.waitForExecutionsOf(workflow.id, topics.length, {
				timeout: 5 * MINUTES,
				interval: 1_000,
			});

			expect(lost.length).toBeGreaterThan(0);
			expect(idsWith('error', executions)).toEqual(lost);
			expect(idsWith('success', executions)).toHaveLength(topics.length - lost.length);
			expect(await startedTopics('busy run')).toEqual(topics);
		},
		10 * MINUTES,
	);

	/**
	 * Starts runs, a few at a time, and waits until all are parked; returns their topics. If n8n's database is too busy, it
	 * answers 503, whether it has started the run or not: then another run with its own name replaces it.
	 */
	async function parkRuns(
		name: string,
		count: number,
		{ workflow, start }: Awaited<ReturnType<typeof activateCrewWorkflow>>,
	): Promise<string[]> {
		const open = Array.from({ length: count }, (_, index) => `${name} ${index}`);
		const lane = async () => {
			for (let topic = open.pop(); topic !== undefined; topic = open.pop()) {
				try {
					await start([{ topic }]);
				} catch (error) {
					if (!(error as Error).message.includes('503')) throw error;
					open.push(`${topic} again`);
				}
			}
		};
		await Promise.all([lane(), lane(), lane(), lane()]);
		const counts = new Map<string, number>();
		await waitFor(
			`${count} executions to be parked`,
			async () => {
				counts.clear();
				for (const { status } of await queueMode.api.listExecutions({ workflowId: workflow.id })) {
					counts.set(status, (counts.get(status) ?? 0) + 1);
				}
				return counts.size === 1 && (counts.get('waiting') ?? 0) >= count;
			},
			{
				timeout: 5 * MINUTES,
				interval: 1_000,
				describe: () => JSON.stringify(Object.fromEntries(counts)),
			},
		);
		return startedTopics(name);
	}

	/** The topics of started crews that begin with this. */
	async function startedTopics(name: string): Promise<string[]> {
		return (await queueMode.crew.executions())
			.map(({ inputs }) => String(inputs.topic))
			.filter((topic) => topic.startsWith(name))
			.sort();
	}

	/** Lets crews end, a number at a time, and checks that n8n continues their executions. */
	class Ends {
		private released = 0;
		private readonly before = this.finished();

		constructor(private readonly order: string[]) {}

		release(upTo: number): void {
			while (this.released < upTo) model.release(this.order[this.released++]!);
		}

		async goOnTo(count: number): Promise<void> {
			while (this.released < count) {
				const room = await waitFor(
					'n8n to go on with those whose crews have ended',
					() => Math.max(0, this.seen() + AT_ONCE - this.released) || undefined,
					{ timeout: MINUTES, interval: 20, describe: () => `${this.seen()} so far` },
				);
				this.release(Math.min(count, this.released + room));
			}
		}

		async allSeen(): Promise<void> {
			await waitFor('n8n to have gone on with all', () => this.seen() === this.released);
		}

		private seen(): number {
			return this.finished() - this.before;
		}

		private finished(): number {
			return queueMode.workers.map(finishedBy).reduce((sum, count) => sum + count, 0);
		}
	}
});

/** A node that lasts until the model answers it. */
function thinkOn(url: string): INode {
	const content = "'Current task: after ' + $json.asked";
	return node('Think', 'n8n-nodes-base.httpRequest', 4.2, {
		method: 'POST',
		url: `${url}/chat/completions`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify({ model: 'held', messages: [{ role: 'user', content: ${content} }] }) }}`,
		options: { timeout: 10 * MINUTES },
	});
}

function idsIn(worker: N8nProcess, deed: 'started' | 'finished'): string[] {
	const line = new RegExp(`^Worker ${deed} execution (\\d+) `);
	return worker.lines.flatMap((each) => line.exec(each)?.[1] ?? []);
}

function finishedBy(worker: N8nProcess): number {
	return idsIn(worker, 'finished').length;
}

/** IDs of the executions that it has started or continued, and not finished. */
function runningOn(worker: N8nProcess): string[] {
	const finished = idsIn(worker, 'finished');
	return idsIn(worker, 'started')
		.filter((id) => {
			const index = finished.indexOf(id);
			if (index >= 0) finished.splice(index, 1);
			return index < 0;
		})
		.sort();
}

function idsWith(status: string, executions: ExecutionSummary[]): string[] {
	return executions
		.filter((one) => one.status === status)
		.map(({ id }) => id)
		.sort();
}
