import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrewServer } from '../../crew-server/src';
import type { StoredCredential, StoredWorkflow } from '../../sandbox/src/n8n-types';
import type { PackedPackage } from '../../sandbox/src/packed-package';
import { findFreePort } from '../../sandbox/src/ports';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { makeScratchFolder, remove } from '../../sandbox/src/scratch-folder';
import type { Stoppable, Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { installBenchNodes } from './benchNodes';

/** What n8n's process uses. */
export interface Usage {
	/** Bytes of memory of the process. */
	rss: number;
	/** Bytes of these that JavaScript uses, including garbage. */
	inUse: number;
	/** CPU time in milliseconds since its start. */
	cpu: number;
}

/** A real n8n with our package and the bench's own nodes, whose process can be measured. */
export interface BenchN8n extends Pick<Sandbox, 'api'>, Stoppable {
	usage: () => Promise<Usage>;
	/**
	 * Waits until n8n is idle, and makes it collect its garbage.
	 *
	 * @param within milliseconds of which n8n may work at most a tenth (default: 200)
	 */
	settle: (within?: number) => Promise<void>;
	/** Ends n8n's process and starts another on the same data, which listens for the same workflows. */
	restart: (workflows: readonly StoredWorkflow[]) => Promise<void>;
	/** A `.cpuprofile` of n8n while `work` runs. */
	profile: (work: () => Promise<unknown>) => Promise<unknown>;
}

/** Where a row's sides are measured. */
export interface Stage extends Pick<BenchN8n, 'api' | 'usage'> {
	crew: CrewServer;
	/** The credential for the crew. */
	credential: StoredCredential;
	/** The workflows that n8n listens for; a side that stores one adds it. */
	deployed: StoredWorkflow[];
}

/** Milliseconds for which n8n is observed to see whether it is idle. */
const REST = 200;

/** Milliseconds in which n8n must become idle. */
const PATIENCE = 60_000;

/**
 * Starts n8n on an empty database.
 *
 * @param settings environment variables of n8n
 * @param teardown ends it, if `stop` has not before
 */
export async function startBenchN8n(
	packed: PackedPackage,
	teardown: Teardown,
	settings: Record<string, string> = {},
): Promise<BenchN8n> {
	const home = await makeScratchFolder('bench');
	teardown.add(() => remove(home));
	await installBenchNodes(home);
	const probe = probeOn(await findFreePort());
	const env = { ...probe.env, ...settings };
	const { api, n8n } = await startSandbox({ teardown, home, packed, env });
	const { ask, usage } = probe;
	return {
		api,
		stop: () => teardown.run(),
		usage,
		settle: async (within = REST) => {
			await untilAtRest(usage, within);
			await ask('/collect');
		},
		restart: async (workflows) => {
			await n8n.stop();
			await n8n.start();
			for (const workflow of workflows) await api.waitUntilListening(workflow);
			await untilAtRest(usage, REST);
		},
		profile: async (work) => {
			await ask('/profile/start');
			await work();
			return await ask('/profile/stop');
		},
	};
}

/** The variables to start n8n with, and how to query the probe; see probe.cjs. */
function probeOn(port: number) {
	const ask = async (path: string) => {
		const answer = await fetch(`http://127.0.0.1:${port}${path}`);
		return await answer.json();
	};
	return {
		env: {
			// Quoted like JSON, since the clone's path may have spaces.
			NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, 'probe.cjs'))}`,
			CREW_BENCH_PROBE_PORT: String(port),
		},
		ask,
		usage: async () => (await ask('/usage')) as Usage,
	};
}

async function untilAtRest(usage: () => Promise<Usage>, within: number): Promise<void> {
	const isAtRest = async () => {
		const before = await usage();
		await sleep(within);
		return (await usage()).cpu - before.cpu < within / 10;
	};
	await waitFor('n8n to come to rest', isAtRest, { timeout: PATIENCE, interval: 0 });
}
