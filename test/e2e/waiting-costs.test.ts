import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { startBenchN8n, type BenchN8n, type Stage } from '../../bench/src/stage';
import {
	crewNode,
	deploy,
	ENDLESS,
	ITEMS,
	NOTHING,
	post,
	urlOf,
	webhook,
	type Part,
} from '../../bench/src/workflows';
import { startCrewServer } from '../../crew-server/src';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { usualDialect } from '../../sandbox/src/crew-dialect';
import type { StoredWorkflow } from '../../sandbox/src/n8n-types';
import { usePackage } from '../../sandbox/src/packed-package';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { timedCrew } from '../support/timedCrew';

/** How many executions wait in each n8n. */
const COUNT = 500;
const AT_ONCE = 5;

/** Milliseconds for which they are measured. */
const LOOK = 20_000;

/** Milliseconds for which n8n must have been idle before. */
const REST = 3_000;

const A_MINUTE = 60_000;

/** n8n's own Wait node, which has nothing to do while it waits. */
const WAIT: Part = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: 'waiting-costs',
	parameters: { resume: 'webhook', httpMethod: 'POST', limitWaitTime: true, resumeAmount: 1 },
};

describe('what waiting costs', () => {
	const teardown = new Teardown();
	let ours: Stage & BenchN8n;
	let theirs: Stage & BenchN8n;
	/** Executions whose crews take a minute, and which are the first that our n8n has with the crew. */
	let minute: StoredWorkflow;
	const minutes = [1, 2, 3].map((n) => A_MINUTE + n);

	beforeAll(async () => {
		// At the same time, so that other work on the machine affects both.
		const packed = await usePackage(undefined, teardown);
		const crew = await startCrewServer({
			crew: timedCrew,
			dialect: usualDialect(),
			rememberedRequests: 20 * COUNT,
		});
		teardown.add(() => crew.close());
		const start = async () => {
			const own = new Teardown();
			teardown.add(() => own.run());
			const n8n = await startBenchN8n(packed, own);
			const credential = await storeCrewCredential(n8n.api, crew);
			return { ...n8n, crew, credential, deployed: [] };
		};
		[ours, theirs] = await Promise.all([start(), start()]);
		minute = await deployWaiting(ours, waitingCrew(ours));
		for (const duration of minutes) await post(urlOf(ours, minute), { durations: [duration] });
	});

	afterAll(() => teardown.run());

	test('executions that wait by polling cost n8n as much memory as with its Wait node, and no slot', async () => {
		const polling = waitingCrew(ours, { noticeBy: 'polling' });
		await Promise.all([hold(ours, polling), hold(theirs, WAIT)]);
		await Promise.all([ours.settle(REST), theirs.settle(REST)]);
		const before = await Promise.all([ours.usage(), theirs.usage()]);
		await sleep(LOOK);
		const after = await Promise.all([ours.usage(), theirs.usage()]);

		await Promise.all([ours.settle(REST), theirs.settle(REST)]);
		const collected = await Promise.all([ours.usage(), theirs.usage()]);

		const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed();
		const [memory, waitMemory] = collected.map(({ inUse }) => inUse);
		const [cpu, waitCpu] = after.map((usage, n) => usage.cpu - before[n]!.cpu);
		process.stderr.write(
			`${COUNT} waiting: ${collected.map(({ inUse }) => megabytes(inUse)).join(' beside ')} MB in use ` +
				`(processes of ${collected.map(({ rss }) => megabytes(rss)).join(' and ')} MB), ` +
				`${cpu?.toFixed()} ms of CPU time beside ${waitCpu?.toFixed()} ms in ${LOOK / 1_000} s\n`,
		);
		expect(memory! / waitMemory!).toBeLessThan(1.1);
		// In this time, each is asked for once or not at all.
		expect((cpu! - waitCpu!) / COUNT).toBeLessThan(10);
	});

	test('a crew that takes a minute gets three requests: its kickoff, a check, and the check at its end', async () => {
		const ended = await ours.api.waitForExecutionsOf(minute.id, minutes.length, {
			timeout: 2 * A_MINUTE,
			interval: 1_000,
		});

		expect(ended.map(({ status }) => status)).toEqual(minutes.map(() => 'success'));
		const crews = await ours.crew.executions();
		for (const duration of minutes) {
			const { kickoffId = '' } = crews.find(({ inputs }) => inputs['duration'] === duration) ?? {};
			expect(1 + statusRequests(kickoffId)).toBeLessThanOrEqual(3);
			expect(statusRequests(kickoffId)).toBeGreaterThan(0);
		}
	});

	function statusRequests(kickoffId: string): number {
		return ours.crew.requests().filter(({ path }) => path.includes(kickoffId)).length;
	}
});

function waitingCrew({ credential }: Stage, options: INodeParameters = {}): Part {
	return crewNode(credential, { wait: 'end', options });
}

async function deployWaiting(stage: Stage, part: Part): Promise<StoredWorkflow> {
	return await deploy(stage, [webhook('lastNode'), ITEMS, part, NOTHING]);
}

/** Starts executions that keep waiting, and returns once all of them do. */
async function hold(stage: Stage, part: Part): Promise<void> {
	const workflow = await deployWaiting(stage, part);
	let left = COUNT;
	const start = async () => {
		while (left-- > 0) await post(urlOf(stage, workflow), { durations: [ENDLESS] });
	};
	await Promise.all(Array.from({ length: AT_ONCE }, start));
	let held = 0;
	const areHeld = async () => {
		const filter = { workflowId: workflow.id, status: ['waiting' as const] };
		held = (await stage.api.listExecutions(filter)).length;
		return held === COUNT;
	};
	await waitFor('all executions to wait', areHeld, {
		timeout: 120_000,
		interval: 500,
		describe: () => `${held} of ${COUNT}`,
	});
}
