import { setTimeout as sleep } from 'node:timers/promises';

import { deploy, type Deployment } from '../../../test/crewai/support/deployment';
import { findInterpreters, NO_PYTHON } from '../../../test/crewai/support/environments';
import { childrenOfHosts, inProc } from '../../../test/crewai/support/processes';
import type { ScriptedModel } from '../../../test/crewai/support/scriptedModel';
import { until } from '../../../test/crew-server/support/until';
import {
	deployProject,
	newestCrewai,
	PROJECT,
	slowModel,
	startBare,
	type Deployed,
} from '../crewaiProject';
import type { Side } from '../row';
import { database, settings } from './database';
import { temporaryFolder } from './folder';

/** The inputs of {@link PROJECT}, and its tasks, each of which asks the model once. */
const INPUTS = { topic: 'Tea', audience: 'all' };
const TASKS = 2;

/** A project whose tasks each ask a person. */
const ASKING = 'desk';

/** Milliseconds in which a kickoff ends even on a busy machine. */
const PATIENCE = 120_000;

export const lacks = async (): Promise<string | undefined> =>
	(await findInterpreters()).length > 0 ? undefined : NO_PYTHON;

/** Milliseconds from kickoff's answer to the model's first call, with a spare child ready. */
export const firstCall: Side = {
	name: 'crew server',
	prepare: async (place) => untilFirstCalls(await deployProject(place)),
};

/** The same with executions kept in PostgreSQL. */
export const firstCallOnPostgres: Side = {
	name: 'PostgreSQL',
	prepare: async (place) => {
		const { url } = await database(place);
		return untilFirstCalls(await deployProject(place, PROJECT, { database: settings(url) }));
	},
};

/** The same with executions kept in a folder. */
export const firstCallInFolder: Side = {
	name: 'SQLite',
	prepare: async (place) => {
		const dataFolder = await temporaryFolder(place);
		return untilFirstCalls(await deployProject(place, PROJECT, { dataFolder }));
	},
};

/** The same for a crew whose first task asks a person. */
export const firstCallOfAsking: Side = {
	name: 'after a kickoff',
	prepare: async (place) => {
		const { deployment, model } = await deployProject(place, ASKING);
		return async () => {
			const { took, kickoffId } = await untilFirstCall(deployment, model);
			await untilState(deployment, kickoffId, 'pending_human_input');
			return took;
		};
	},
};

/** Milliseconds from the answer to an approval to the model's next call, with a spare child ready. */
export const nextCall: Side = {
	name: 'after a resume',
	prepare: async (place) => {
		const { deployment, model } = await deployProject(place, ASKING);
		return async () => {
			const { kickoffId } = await untilFirstCall(deployment, model);
			await untilState(deployment, kickoffId, 'pending_human_input');
			await untilAtRest();
			const called = nextCallOf(model);
			await deployment.client.resume(kickoffId, { task_id: 'draft_task' });
			const answered = performance.now();
			const took = (await called) - answered;
			await untilState(deployment, kickoffId, 'pending_human_input');
			return took;
		};
	},
};

const untilFirstCalls =
	({ deployment, model }: Deployed) =>
	async () => {
		const { took, kickoffId } = await untilFirstCall(deployment, model);
		await untilCompleted(deployment, kickoffId);
		return took;
	};

async function untilFirstCall({ client }: Deployment, model: ScriptedModel) {
	await untilAtRest();
	const called = nextCallOf(model);
	const kickoffId = await client.kickoff({ inputs: INPUTS });
	const answered = performance.now();
	return { took: (await called) - answered, kickoffId };
}

async function nextCallOf(model: ScriptedModel): Promise<number> {
	return await new Promise((resolve) => {
		model.script = () => {
			resolve(performance.now());
			return 'An answer';
		};
	});
}

/** Seconds from a number of kickoffs at once until all have completed. */
export const kickoffs: Side = {
	name: 'crew server',
	prepare: async (place) => {
		const { deployment, model } = await deployProject(place);
		return async () => {
			await untilAtRest();
			const asked = model.asked.length + TASKS * place.size;
			const began = performance.now();
			await atOnce(place.size, async () => {
				const kickoffId = await deployment.client.kickoff({ inputs: INPUTS });
				await until(() => model.asked.length >= asked, PATIENCE);
				await untilCompleted(deployment, kickoffId);
			});
			return secondsSince(began);
		};
	},
};

/** The same crew, built and run by as many threads of one Python process. */
export const bareKickoffs: Side = {
	name: 'threads of one bare process',
	prepare: async (place) => {
		const model = await slowModel(place);
		const bare = await startBare(place, model);
		return async () => {
			await untilAtRest();
			return Number(await bare.ask(String(place.size)));
		};
	},
};

/** Megabytes of a running execution that no other process shares, while its second task asks the model. */
export const memory: Side = {
	name: 'crew server',
	prepare: async (place) => {
		const { deployment, model } = await deployProject(place);
		return async () => {
			await untilAtRest();
			let calls = 0;
			let answer: () => void = () => undefined;
			model.script = async () => {
				calls += 1;
				if (calls === 2) await new Promise<void>((resolve) => (answer = resolve));
				return 'An answer';
			};
			const kickoffId = await deployment.client.kickoff({ inputs: INPUTS });
			await until(() => calls === 2, PATIENCE);
			const sizes = childrenOfHosts().map(privateBytes);
			answer();
			await untilCompleted(deployment, kickoffId);
			return Math.max(...sizes) / 1024 ** 2;
		};
	},
};

/** Seconds until the server answers, without the start of Node.js. */
export const start: Side = {
	name: 'crew server',
	prepare: async (place) => {
		const python = await newestCrewai();
		const model = await slowModel(place);
		return async () => {
			const began = performance.now();
			const deployment = await deploy(PROJECT, model, { project: { python } });
			const took = secondsSince(began);
			await deployment.close();
			return took;
		};
	},
};

/** Seconds until a bare process has imported CrewAI and the project. */
export const bareStart: Side = {
	name: 'importing them',
	prepare: async (place) => {
		const model = await slowModel(place);
		return async () => {
			const began = performance.now();
			const bare = await startBare(place, model);
			const took = secondsSince(began);
			await bare.end();
			return took;
		};
	},
};

const untilCompleted = (deployment: Deployment, kickoffId: string) =>
	untilState(deployment, kickoffId, 'completed');

/** Reads the state in the store, which takes time itself: only for a moment in what is measured. */
async function untilState(
	{ crew }: Deployment,
	kickoffId: string,
	wanted: 'completed' | 'pending_human_input',
): Promise<void> {
	const state = async () =>
		(await crew.executions()).find((one) => one.kickoffId === kickoffId)?.state ?? 'none';
	const seen = await until(async () => {
		const now = await state();
		return now !== 'running' && now;
	}, PATIENCE);
	if (seen !== wanted) throw new Error(`The execution is ${seen}, not ${wanted}.`);
}

async function atOnce(count: number, work: () => Promise<void>): Promise<void> {
	await Promise.all(Array.from({ length: count }, work));
}

const secondsSince = (began: number) => (performance.now() - began) / 1_000;

/** Waits until no child of a host uses the processor anymore: then a spare one has built the crew. */
async function untilAtRest(): Promise<void> {
	const used = () => childrenOfHosts().map(cpuTime).join();
	await until(async () => {
		const before = used();
		await sleep(300);
		return used() === before;
	}, PATIENCE);
}

/** Ticks in kernel and user mode. */
function cpuTime(pid: number): string {
	const fields = inProc(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
	return fields.slice(11, 13).join();
}

function privateBytes(pid: number): number {
	const sizes = [...inProc(pid, 'smaps_rollup').matchAll(/^Private_\w+: +(\d+) kB$/gm)];
	return sizes.reduce((sum, [, size]) => sum + Number(size), 0) * 1024;
}
