import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import type { Teardown } from '../../sandbox/src/teardown';
import { startReceiver } from '../crew-server/support/receiver';
import type { SeededRandom } from '../support/seededRandom';
import { Crews, type Deployments } from './crews';
import { kinds, type Kind } from './kinds';
import { Accounts } from './accounts';
import { Load, type Start } from './load';
import { MEMORY_OPTIONS, readMemory, type Memory } from './memory';
import { operationWorkflow, triggerWorkflow, type Report } from './workflows';

/** Operations before memory is measured for the first time: n8n loads and keeps a lot on first use. */
const WARM_UP = 150;
/** Milliseconds. */
const TELL_EVERY = 15_000;

export interface SoakSettings {
	/** Milliseconds. */
	duration: number;
	random: SeededRandom;
	teardown: Teardown;
	log: (line: string) => void;
}

export interface SoakResult {
	accounts: Accounts;
	before: Memory;
	after: Memory;
	/** The problems, in words. */
	problems: string[];
}

/** A workflow in n8n, and which operations have an execution of it. */
interface Expected {
	workflowId: string;
	isOf: (kind: Kind) => boolean;
}

/** Runs all kinds of operations in n8n for a while, with all sorts of ends, and accounts for each one. */
export async function soakOperations(settings: SoakSettings): Promise<SoakResult> {
	const { duration, random, teardown, log } = settings;
	const crews = await Crews.start(teardown);
	const sandbox = await startSandbox({ teardown, log, nodeOptions: MEMORY_OPTIONS });
	const accounts = new Accounts();
	const reports = await startReceiver((_index, { body }) => {
		accounts.take(body as unknown as Report);
		return 200;
	});
	teardown.add(() => reports.close());
	const { starts, expected } = await storeWorkflows(sandbox, crews.deployments, reports.url);
	const load = new Load(starts, accounts, crews, random);

	log(`Warming up with ${WARM_UP} operations ...`);
	await load.run(() => accounts.count().started < WARM_UP);
	const before = await readMemory(sandbox.n8n, crews);
	log(`Mixed operations for ${duration / 60_000} minutes ...`);
	const end = Date.now() + duration;
	await withProgress(accounts, end, log, () => load.run(() => Date.now() < end));
	const after = await readMemory(sandbox.n8n, crews);
	const problems = [
		...accounts.problems(crews.seen.values()),
		...(await problemsOfExecutions(sandbox, expected, accounts)),
	];
	return { accounts, before, after, problems };
}

/** Logs the progress until `work` is done. */
async function withProgress(
	accounts: Accounts,
	end: number,
	log: SoakSettings['log'],
	work: () => Promise<void>,
): Promise<void> {
	const timer = setInterval(() => {
		const { started, ended } = accounts.count();
		const left = Math.max(0, Math.round((end - Date.now()) / 1000));
		log(`  ${started} started, ${ended} ended, ${left} s to go`);
	}, TELL_EVERY);
	await work().finally(() => {
		clearInterval(timer);
	});
}

async function storeWorkflows(
	{ api }: Sandbox,
	deployments: Deployments,
	reportUrl: string,
): Promise<{ starts: Map<Kind, Start>; expected: Expected[] }> {
	const credentials = {
		timed: await storeCrewCredential(api, deployments.timed, 'Timed crew'),
		asking: await storeCrewCredential(api, deployments.asking, 'Crew that asks'),
		faulty: await storeCrewCredential(api, deployments.faulty, 'Faulty crew'),
	};
	const trigger = await api.createWorkflow(triggerWorkflow(credentials.timed, reportUrl));
	await api.activateWorkflow(trigger);
	const triggerUrl = api.productionUrl(trigger.nodes[0]!)!;
	const starts = new Map<Kind, Start>();
	const expected = [{ workflowId: trigger.id, isOf: ({ told }: Kind) => told === undefined }];
	for (const kind of kinds(triggerUrl)) {
		const definition = operationWorkflow(kind, credentials[kind.crew], reportUrl);
		const workflow = await api.createWorkflow(definition);
		await api.activateWorkflow(workflow);
		const url = api.productionUrl(workflow.nodes[0]!)!;
		starts.set(kind, (inputs) => post(url, inputs));
		expected.push({ workflowId: workflow.id, isOf: (other) => other === kind });
	}
	return { starts, expected };
}

async function post(url: string, body: object): Promise<void> {
	const answer = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!answer.ok) throw new Error(`n8n answered ${answer.status} to the start of an operation`);
}

/** Every n8n execution must have succeeded, and there must be as many as were started. */
async function problemsOfExecutions(
	{ api }: Sandbox,
	expected: readonly Expected[],
	accounts: Accounts,
): Promise<string[]> {
	const problems = expected.map(async ({ workflowId, isOf }) => {
		const executions = await api.listExecutions({ workflowId });
		const wanted = accounts.startedOf(isOf);
		return [
			...(executions.length === wanted
				? []
				: [`n8n has ${executions.length} executions of workflow ${workflowId}, not ${wanted}`]),
			...executions
				.filter(({ status }) => status !== 'success')
				.map(({ id, status }) => `n8n's execution ${id} is ${status}`),
		];
	});
	return (await Promise.all(problems)).flat();
}
