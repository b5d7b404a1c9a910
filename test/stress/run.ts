import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { forEachLimited } from '../../nodes/Crew/api/forEachLimited';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import type { StoredWorkflow } from '../../sandbox/src/n8n-types';
import type { N8nProcess } from '../../sandbox/src/n8n-process';
import { sandboxFolder } from '../../sandbox/src/paths';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import type { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { startReceiver } from '../crew-server/support/receiver';
import { chain, node, webhookNode } from '../e2e/support/chain';
import { reportNode } from '../e2e/support/reportNode';
import { startOf } from '../e2e/support/runs';
import { ScriptedCrew, type ScriptedExecution, type Trouble } from '../support/scriptedCrew';
import { lockSqlite } from '../support/sqliteLock';
import { problemsOf, type Report } from './accounts';
import type { Plan, PlannedExecution, PlannedItem } from './plan';

/** Milliseconds after the limit within which all items have to come out. */
const PATIENCE = 180_000;
const TELL_EVERY = 10_000;
/** How many late callbacks are sent at the same time. */
const LATE_CALLS = 4;

export interface StressSettings {
	plan: Plan;
	/** The most seconds that each execution waits. */
	limit: number;
	teardown: Teardown;
	log: (line: string) => void;
}

/** Plays a plan in the real n8n; returns the problems, in words. */
export async function runPlan(settings: StressSettings): Promise<string[]> {
	const { teardown, log } = settings;
	const sandbox = await startSandbox({ teardown, log });
	const problems = await playIn(sandbox, settings).catch((error: unknown) => [
		`The run was aborted: ${inspect(error)}`,
	]);
	const { ending } = sandbox.n8n;
	if (ending !== undefined) problems.unshift(`n8n has ended: ${ending}`);
	if (problems.length > 0) log(await lastWordsOf(sandbox.n8n));
	return problems;
}

/** The end of n8n's log, and the file that has all of it. */
async function lastWordsOf(n8n: N8nProcess): Promise<string> {
	const kept = join(sandboxFolder, 'stress-n8n.log');
	await copyFile(n8n.logFile, kept);
	return `${n8n.lastLines()}\nn8n's whole log is in ${kept}`;
}

async function playIn(
	sandbox: Sandbox,
	{ plan, limit, teardown, log }: StressSettings,
): Promise<string[]> {
	const reports: Report[] = [];
	const outside = await startReceiver((_index, { body }) => {
		reports.push(body as unknown as Report);
		return 200;
	});
	teardown.add(() => outside.close());
	const play = new Play(plan);
	const crew = await ScriptedCrew.start(play.script);
	teardown.add(() => crew.close());
	play.crew = crew;

	const workflows = await storeWorkflows(sandbox, crew, outside.url, limit);
	await startAll(sandbox, workflows, plan.executions);
	log(
		`${plan.executions.length} executions are waiting. Now the trouble with n8n's database and the crew begins.`,
	);
	const troubles = play.trouble(sandbox.home);
	const { length } = play.items;
	const { answered } = crew;
	const tell = () =>
		`${reports.length} of ${length} items have come out; ${play.called} callbacks, ` +
		`${answered.asCrew} requests answered, ${answered.inItsPlace} refused`;
	const timer = setInterval(() => {
		log(`  ${tell()}`);
	}, TELL_EVERY);
	teardown.add(() => {
		clearInterval(timer);
	});
	let lost: PlannedItem[] = [];
	const areAllOut = async () => {
		lost = await lostByN8n(sandbox, workflows, plan);
		return reports.length >= length - lost.length;
	};
	const timeout = limit * 1_000 + PATIENCE;
	await waitFor('all items', areAllOut, { timeout, interval: 1_000 }).catch(() => undefined);
	clearInterval(timer);
	await troubles;
	log(tell());
	for (const { topic } of lost) log(`n8n itself lost ${topic}, and the node’s log said what to do`);
	const expected = play.items.filter((item) => !lost.includes(item));
	const problems = problemsOf(expected, crew.executions, reports);
	// A repeated callback must have no effect. n8n reads a whole execution for each call, so sending all calls at once
	// would take more memory than it has.
	await forEachLimited(
		crew.executions,
		() => LATE_CALLS,
		async (one) => {
			const [, text] = await crew.callBack(one);
			if (text.includes('"ended":true')) problems.push(`${one.topic} has ended a wait again`);
		},
	);
	const bad = endedBadly(sandbox, workflows).catch((error: unknown) => [String(error)]);
	return [...problems, ...(await bad)];
}

/** Plays a plan: the crew's part, and the trouble with n8n's database. */
class Play {
	readonly items;
	crew: ScriptedCrew | undefined;
	/** Callbacks that were sent. */
	called = 0;
	private began = Infinity;

	constructor(private readonly plan: Plan) {
		this.items = plan.executions.flatMap(({ items }) => items);
	}

	get script(): Parameters<typeof ScriptedCrew.start>[0] {
		const byTopic = new Map(this.items.map((item) => [item.topic, item]));
		const plannedFor = (topic: string) => {
			const item = byTopic.get(topic);
			if (!item) throw new Error(`There is no plan for ${topic}`);
			return item;
		};
		return {
			outcomeOf: (topic) => plannedFor(topic).outcome,
			befalls: (asked) => this.troubleFor(asked),
			onKickoff: (execution) => {
				void this.playOut(execution, plannedFor(execution.topic));
			},
		};
	}

	/** Locks the database as planned, starting now; resolves when all the trouble is over. */
	async trouble(home: string): Promise<void> {
		this.began = performance.now();
		for (const { from, to } of this.plan.locks) {
			await sleep(Math.max(0, from - this.now()));
			const { released } = await lockSqlite(home, to - from);
			await released;
		}
		const last = Math.max(0, ...this.plan.refusals.map(({ to }) => to));
		await sleep(Math.max(0, last - this.now()));
	}

	private troubleFor(asked: 'kickoff' | 'status'): Trouble {
		const now = this.now();
		const next = this.plan.next(asked);
		if (asked === 'kickoff') return next;
		const refusal = this.plan.refusals.find(({ from, to }) => from <= now && now < to);
		return refusal ? { status: refusal.status, retryAfter: refusal.retryAfter } : next;
	}

	private async playOut(
		execution: ScriptedExecution,
		{ duration, calls }: { duration: number; calls: readonly number[] },
	): Promise<void> {
		await sleep(duration);
		execution.hasEnded = true;
		await Promise.all(
			calls.map(async (after) => {
				await sleep(after);
				this.called++;
				await this.crew?.callBack(execution);
			}),
		);
	}

	/** Milliseconds since all executions were parked. */
	private now(): number {
		return performance.now() - this.began;
	}
}

type Workflows = Record<PlannedExecution['noticeBy'], StoredWorkflow>;

async function storeWorkflows(
	{ api }: Sandbox,
	crew: ScriptedCrew,
	reportUrl: string,
	limit: number,
): Promise<Workflows> {
	const crewApi = await storeCrewCredential(api, crew, 'Stressed crew');
	const store = async (noticeBy: PlannedExecution['noticeBy']) => {
		const parameters = {
			operation: 'kickoff',
			specifyInputs: 'json',
			inputsJson: '={{ JSON.stringify($json) }}',
			...{ wait: 'end', resumeAmount: limit, resumeUnit: 'seconds' },
			options: { noticeBy, pollInterval: 2 },
		};
		const workflow = await api.createWorkflow(
			chain(`Stress, ${noticeBy}`, [
				webhookNode('Webhook'),
				node('Items', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.items' }),
				node('Crew', 'n8n-nodes-crew.crew', 1, parameters, {
					credentials: { crewApi },
					onError: 'continueRegularOutput',
				}),
				reportNode('Report', reportUrl),
			]),
		);
		await api.activateWorkflow(workflow);
		return workflow;
	};
	return { auto: await store('auto'), polling: await store('polling') };
}

/** Resolves when all executions are parked, or have already continued. */
async function startAll(
	{ api }: Sandbox,
	workflows: Workflows,
	executions: readonly PlannedExecution[],
): Promise<void> {
	for (const { noticeBy, items } of executions) {
		await startOf({ api }, workflows[noticeBy])(items.map(({ topic }) => ({ topic })));
	}
	const areParked = async () => {
		const all = await executionsOf(api, workflows);
		const isUnderWay = ({ status }: { status: string }) => status === 'new' || status === 'running';
		return all.length >= executions.length && !all.some(isUnderWay);
	};
	await waitFor('all executions to wait', areParked, { interval: 500 });
}

async function executionsOf(api: Sandbox['api'], workflows: Workflows) {
	const all = Object.values(workflows).map(({ id }) => api.listExecutions({ workflowId: id }));
	return (await Promise.all(all)).flat();
}

/**
 * What n8n itself has lost (2.41.1): if its database fails just after it has stored that a
 * waiting execution runs, it never runs it, and refuses all further calls. Only what the node has logged counts.
 */
async function lostByN8n(
	{ api, n8n }: Sandbox,
	workflows: Workflows,
	{ executions }: Plan,
): Promise<PlannedItem[]> {
	const written = await readFile(n8n.logFile, 'utf8');
	if (!written.includes('failed to continue it')) return [];
	const failure = (id: string) => `/webhook-waiting/${id}/crew: There was a problem executing`;
	// They were started one after the other.
	const all = (await executionsOf(api, workflows)).sort((a, b) => Number(a.id) - Number(b.id));
	const isLost = ({ id, status }: (typeof all)[number]) =>
		status === 'running' && written.includes(failure(id));
	return all.flatMap((one, index) => (isLost(one) ? (executions[index]?.items ?? []) : []));
}

/** An execution whose end n8n could not write is n8n's own problem: only statuses of a real failure count. */
async function endedBadly({ api }: Sandbox, workflows: Workflows): Promise<string[]> {
	const all = await executionsOf(api, workflows);
	const bad = all.filter(
		({ status }) => status === 'error' || status === 'crashed' || status === 'waiting',
	);
	const told = bad.map(async ({ id, status }) => {
		const { error } = (await api.getExecution(id)).data.resultData;
		if (status === 'error' && error?.message.startsWith('SQLITE_BUSY')) return [];
		return [`Execution ${id} is ${status}${error ? `: ${error.message}` : ''}`];
	});
	return (await Promise.all(told)).flat();
}
