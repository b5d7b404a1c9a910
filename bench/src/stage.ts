import { join } from 'node:path';
import type { CrewDefinition, LocalCrewOptions } from '../../local-crew/src';
import { findFreePort } from '../../sandbox/src/ports';
import type { PackedPackage } from '../../sandbox/src/packed-package';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { makeScratchFolder, remove } from '../../sandbox/src/scratch-folder';
import { Teardown } from '../../sandbox/src/teardown';
import { installBenchNodes } from './benchNodes';

/** What n8n's process uses. */
export interface Usage {
	/** Bytes, after its garbage was collected. */
	rss: number;
	heapUsed: number;
	/** Milliseconds since it began. */
	cpu: number;
}

/** A real n8n with our package and the bench's own nodes, the local crew, and a look into n8n's process. */
export interface Stage extends Sandbox {
	usage(): Promise<Usage>;
	/** What n8n does while `work` runs, as a `.cpuprofile`. */
	profile(work: () => Promise<unknown>): Promise<unknown>;
}

/** A crew that takes as long as it is told to, in milliseconds. */
const CREW: CrewDefinition = {
	name: 'bench',
	inputs: [
		{ name: 'topic', type: 'string', required: true },
		{ name: 'duration', type: 'number', required: true },
	],
	tasks: [
		{
			name: 'take_time',
			description: 'Take your time with {topic}',
			expectedOutput: 'A sentence about {topic}',
			agent: 'Worker',
			duration: '{duration}',
			output: 'All about {topic}',
		},
	],
};

/** How late the crew answers where a row does not say otherwise, in milliseconds. */
export const USUAL_LATENCY = 20;

const DEPLOYMENT: LocalCrewOptions = {
	crew: CREW,
	dialect: 'documented',
	faults: [`latency=${USUAL_LATENCY}`],
	rememberedRequests: 20_000,
	retention: { atHand: 20_000 },
};

/** Has n8n evaluate expressions without their sandbox: tells what of a figure is the sandbox's. */
export const WITHOUT_EXPRESSION_SANDBOX = {
	settings: { N8N_EXPRESSION_ENGINE: 'legacy' },
	/** Behind the name of what was measured. */
	suffix: ', without n8n’s sandbox for expressions',
};

/** Works with a crew that answers so many milliseconds late, and as late as usual again afterwards. */
export async function withLatency<T>(
	{ crew }: Stage,
	latency: number,
	work: () => Promise<T>,
): Promise<T> {
	crew.setFaults([`latency=${latency}`]);
	try {
		return await work();
	} finally {
		crew.setFaults([`latency=${USUAL_LATENCY}`]);
	}
}

/** Starts n8n anew, on an empty database; `settings` are n8n's environment variables. */
export async function openStage(
	packed: PackedPackage,
	teardown: Teardown,
	settings: Record<string, string>,
): Promise<Stage> {
	const own = new Teardown();
	teardown.add(() => own.run());
	const home = await makeScratchFolder('bench');
	own.add(() => remove(home));
	await installBenchNodes(home);
	const probePort = await findFreePort();
	const sandbox = await startSandbox({
		teardown: own,
		home,
		packed,
		env: {
			NODE_OPTIONS: `--require ${join(__dirname, 'probe.cjs')}`,
			CREW_BENCH_PROBE_PORT: String(probePort),
			...settings,
		},
		crew: DEPLOYMENT,
	});
	const ask = async (path: string) => {
		const answer = await fetch(`http://127.0.0.1:${probePort}${path}`);
		return await answer.json();
	};
	return {
		...sandbox,
		usage: async () => (await ask('/usage')) as Usage,
		profile: async (work) => {
			await ask('/profile/start');
			await work();
			return await ask('/profile/stop');
		},
	};
}
