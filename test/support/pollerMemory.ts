/**
 * Started by pollerMemory.thorough.test.ts as `node --expose-gc --import tsx`, outside jest, which uses memory
 * itself: measures what the background poller keeps alive, and sends that to its parent.
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Crew } from '../../nodes/Crew/n8n/connect';
import type { StoredWait } from '../../nodes/Crew/waiting/storedWait';
import { endAllPollers, startPolling } from '../../nodes/Crew/waiting/backgroundPoller';

/** The process's report: how many of a hundred runs are still in memory, and bytes. */
export interface PollerMemory {
	runsOfHundredWaits: number;
	runsAfterTheLast: number;
	bytesPerFurtherWait: number;
}

const MEGABYTE = 1024 * 1024;
const CREW = {
	baseUrl: 'https://crew.example.com',
	credential: { baseUrl: 'https://crew.example.com', accessToken: 'token' },
} as Crew;

/** The parts of an n8n execution that the background poller uses. It keeps its run's data in memory. */
function contextWith(size: number): IExecuteFunctions {
	const run = Buffer.alloc(size, 1).toString('latin1').split('');
	const context = { run, getNode: () => ({ credentials: {} }), helpers: {}, logger: {} };
	return context as unknown as IExecuteFunctions;
}

const waitWith = (waitId: string): StoredWait => ({
	waitId,
	endsAt: Date.now() + 3_600_000,
	until: Date.now() + 3_720_000,
	maxParallel: 10,
	isSimple: true,
	awaited: [{ itemIndex: 0, kickoffId: '0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d', since: Date.now() }],
});

/** Polls for this many waits for one crew, each in its own execution. */
function pollMany(count: number, name: string, size: number): Array<WeakRef<IExecuteFunctions>> {
	return Array.from({ length: count }, (_, index) => {
		const context = contextWith(size);
		const resumeUrl = `https://n8n.example.com/webhook-waiting/${index}/crew?signature=abc`;
		startPolling(context, CREW, waitWith(`${name}-${index}`), resumeUrl);
		return new WeakRef(context);
	});
}

/** Frees what nothing refers to any more. */
async function collectGarbage(): Promise<void> {
	for (let round = 0; round < 5; round++) {
		await new Promise(setImmediate);
		gc!();
	}
}

async function measure(): Promise<PollerMemory> {
	const runs = pollMany(100, 'kept', MEGABYTE / 8);
	const alive = async () => {
		await collectGarbage();
		return runs.filter((run) => run.deref() !== undefined).length;
	};
	const runsOfHundredWaits = await alive();
	endAllPollers();
	const runsAfterTheLast = await alive();

	pollMany(1, 'first', 1);
	await collectGarbage();
	const before = process.memoryUsage().heapUsed;
	pollMany(1_000, 'further', 1);
	await collectGarbage();
	const bytesPerFurtherWait = (process.memoryUsage().heapUsed - before) / 1_000;

	endAllPollers();
	return { runsOfHundredWaits, runsAfterTheLast, bytesPerFurtherWait };
}

// The timers of ended pauses would keep the process alive.
void measure().then((memory) => process.send!(memory, () => process.exit()));
