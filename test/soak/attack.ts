import { forEachLimited } from '../../nodes/Crew/api/forEachLimited';
import { credentialFor } from '../../sandbox/src/crew-credential';
import type { StoredWorkflow } from '../../sandbox/src/n8n-types';
import { outputOf } from '../../sandbox/src/run-data';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { waitFor } from '../../sandbox/src/wait-for';
import { chain, crewTriggerNode } from '../e2e/support/chain';
import { arrive, percentile } from './arrivals';
import { Callers, send, type Call } from './callers';
import type { SoakSettings } from './operations';

/** The number of callers while n8n's limits are measured, and for how many milliseconds at most. */
const PUSHERS = 8;
const PUSHED_FOR = 15_000;
/** The share of n8n's limit that it gets: requests at random moments need some room. */
const SUSTAINED = 0.6;
/** Milliseconds of attack, after as many without one, so that a slow phase of the machine affects both. */
const TURN = 60_000;
type Sort = 'right' | 'wrong' | 'garbage';
const MIXTURE: readonly Sort[] = ['right', 'wrong', 'garbage', 'garbage'];

/** How many executions are read from n8n at a time. */
const READERS = 8;

/** Answer times of correct callbacks, in milliseconds. */
export interface AnswerTimes {
	count: number;
	median: number;
	p99: number;
}

export interface AttackResult {
	/** Requests a second under attack, of all sorts. */
	rate: number;
	/** Correct callbacks a second without an attack, which keep n8n as busy. */
	quietRate: number;
	quiet: AnswerTimes;
	attacked: AnswerTimes;
	/** The answers to each sort of request: `401 x 12`. */
	answers: Map<string, string>;
	/** The problems, in words. */
	problems: string[];
}

/**
 * Sends a Crew Trigger correct callbacks (a quarter), callbacks with wrong tokens (a quarter) and garbage (half), at
 * a rate that n8n sustains. Compares the answer times of the correct ones with those of correct callbacks alone, also
 * at a rate that n8n sustains. The two take turns. A correct callback costs n8n more than garbage does: it starts an
 * execution.
 */
export async function attackTrigger(settings: SoakSettings): Promise<AttackResult> {
	const { duration, random, teardown, log } = settings;
	const sandbox = await startSandbox({ teardown, log });
	const [trigger, other] = [await addTrigger(sandbox), await addTrigger(sandbox)];
	const { callbackSecret } = credentialFor(sandbox.crew);
	const urls = [trigger, other].map(({ nodes }) => sandbox.api.productionUrl(nodes[0]!)!);
	const callers = new Callers(urls[0]!, urls[1]!, callbackSecret, random);
	const attack = new Attack(callers);

	log('Measuring the rates that n8n sustains ...');
	const pushedFor = Math.min(PUSHED_FOR, duration / 2);
	// n8n loads much on first use.
	await attack.push(MIXTURE, pushedFor);
	const rate = (await attack.push(MIXTURE, pushedFor)) * SUSTAINED;
	const quietRate = (await attack.push(['right'], pushedFor)) * SUSTAINED;
	const [quiet, attacked]: [number[], number[]] = [[], []];
	const turns = Math.max(1, Math.round(duration / TURN));
	const turn = duration / turns;
	log(
		`${turns} times ${quietRate.toFixed(1)} correct callbacks a second for ${turn / 1000} s, then ${rate.toFixed(1)} requests of all sorts a second for as long ...`,
	);
	for (let count = 0; count < turns; count++) {
		await arrive(quietRate, turn, random, (due) => attack.sendRight(quiet, due));
		await Promise.all([
			arrive(rate / 4, turn, random, (due) => attack.sendRight(attacked, due)),
			arrive(rate / 4, turn, random, () => attack.sendWrong()),
			arrive(rate / 2, turn, random, () => attack.sendGarbage()),
		]);
	}

	const problems = [
		...attack.problems(),
		...(await problemsOfExecutions(sandbox, [trigger, other], attack.right)),
		...sandbox.n8n.lines
			.filter((line) => callers.secrets().some((secret) => line.includes(secret)))
			.map((line) => `n8n's log has a secret: ${line}`),
	];
	const answers = attack.answers();
	const times = { quiet: timesOf(quiet), attacked: timesOf(attacked) };
	return { rate, quietRate, ...times, answers, problems };
}

function timesOf(values: readonly number[]): AnswerTimes {
	const { length: count } = values;
	return { count, median: percentile(values, 0.5), p99: percentile(values, 0.99) };
}

/** Sends requests and remembers the answers. */
class Attack {
	/** The status of the answer to each correct callback, by its kickoff ID. */
	readonly right = new Map<string, number>();
	private sent = 0;
	private readonly statuses = new Map<string, Map<number, number>>();
	private readonly unexpected = new Map<string, number>();

	constructor(private readonly callers: Callers) {}

	/** @param times gets the answer time, in milliseconds since it was due */
	async sendRight(times: number[], due: number): Promise<void> {
		const kickoffId = `right-${++this.sent}`;
		const status = await this.call('right', this.callers.right(kickoffId));
		times.push(performance.now() - due);
		this.right.set(kickoffId, status);
	}

	async sendWrong(): Promise<void> {
		await this.call('wrong token', this.callers.wrong(`wrong-${++this.sent}`));
	}

	async sendGarbage(): Promise<void> {
		await this.call('garbage', this.callers.garbage());
	}

	/**
	 * Measures how many requests a second n8n answers, of these sorts in turn, with {@link PUSHERS} callers that wait
	 * for their answers.
	 *
	 * @param duration in milliseconds
	 */
	async push(sorts: readonly Sort[], duration: number): Promise<number> {
		const end = performance.now() + duration;
		let answered = 0;
		const sendOne = {
			right: () => this.sendRight([], performance.now()),
			wrong: () => this.sendWrong(),
			garbage: () => this.sendGarbage(),
		};
		const lane = async () => {
			while (performance.now() < end) {
				for (const sort of sorts) await sendOne[sort]();
				answered += sorts.length;
			}
		};
		await Promise.all(Array.from({ length: PUSHERS }, lane));
		return (answered / duration) * 1_000;
	}

	answers(): Map<string, string> {
		return new Map(
			[...this.statuses].map(([sort, counts]) => [
				sort,
				[...counts].map(([status, count]) => `${status} x ${count}`).join(', '),
			]),
		);
	}

	/** Every request needs the one answer that is correct for it. */
	problems(): string[] {
		return [...this.unexpected].map(([what, count]) => `${what}, ${count} times`);
	}

	private async call(group: string, call: Call): Promise<number> {
		const status = await send(call);
		const sort = group === call.sort ? group : `${group}: ${call.sort}`;
		const counts = this.statuses.get(sort) ?? new Map<number, number>();
		this.statuses.set(sort, counts.set(status, (counts.get(status) ?? 0) + 1));
		if (status !== call.expected) {
			const what = `${sort}: answered ${status}, not ${call.expected}`;
			this.unexpected.set(what, (this.unexpected.get(what) ?? 0) + 1);
		}
		return status;
	}
}

async function addTrigger({ api, credential }: Sandbox): Promise<StoredWorkflow> {
	const workflow = await api.createWorkflow(chain('Attacked', [crewTriggerNode(credential)]));
	await api.activateWorkflow(workflow);
	return workflow;
}

/** n8n must have exactly one execution for each correct callback that it accepted, and no other. */
async function problemsOfExecutions(
	{ api }: Sandbox,
	[trigger, other]: [StoredWorkflow, StoredWorkflow],
	right: ReadonlyMap<string, number>,
): Promise<string[]> {
	const triggerName = trigger.nodes[0]!.name;
	const executions = await waitFor(
		'all executions to have ended',
		async () => {
			const all = await api.listExecutions({ workflowId: trigger.id });
			return all.every(({ status }) => status !== 'running' && status !== 'new') && all;
		},
		{ timeout: 120_000, interval: 1_000 },
	);
	const problems: string[] = [];
	const started = new Set<string>();
	await forEachLimited(
		executions,
		() => READERS,
		async ({ id, status }) => {
			const [item] = outputOf(await api.getExecution(id), triggerName);
			const kickoffId = item?.json.kickoff_id as string;
			if (status !== 'success') problems.push(`Execution ${id} is ${status}`);
			if (started.has(kickoffId))
				problems.push(`${kickoffId} has started another execution, ${id}`);
			// A callback without an answer in time may have been accepted or not.
			const answered = right.get(kickoffId);
			if (answered !== 200 && answered !== 0)
				problems.push(`${kickoffId} has started execution ${id}`);
			started.add(kickoffId);
		},
	);
	const missing = [...right].filter(([id, status]) => status === 200 && !started.has(id));
	problems.push(...missing.map(([id]) => `${id} was accepted and has started nothing`));
	const wrong = await api.listExecutions({ workflowId: other.id });
	if (wrong.length > 0) problems.push(`The other trigger has started ${wrong.length} executions`);
	return problems;
}
