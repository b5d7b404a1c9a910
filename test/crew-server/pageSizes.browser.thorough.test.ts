import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession } from 'playwright-core';

import { openStore } from '../../crew-server/src/store/openStore';
import { commit, complete, kickOff } from './store/support/orders';
import { PageDriver } from './support/pageDriver';
import { until } from './support/until';

const EXECUTIONS = 10_000;
const EVENTS = 10_000;
const RUNNING = 50;

const on = new PageDriver();
let dataFolder: string;
/** The execution with many events. */
let long: string;

beforeAll(async () => {
	dataFolder = mkdtempSync(join(tmpdir(), 'crew-page-'));
	const retention = { executions: 2 * EXECUTIONS };
	const store = await openStore({ folder: dataFolder, retention });
	const first = await kickOff(store);
	long = first.execution.kickoffId;
	const notes = Array.from({ length: EVENTS / 4 }, (_, index) => {
		const facts = { task_id: 'research', task_name: 'research', agent_role: 'writer' };
		const tool = { ...facts, tool_name: `tool_${index % 7}` };
		return [
			{ type: 'event', name: 'llm_call_started', data: facts },
			{ type: 'event', name: 'llm_call_completed', data: { ...facts, response: 'x'.repeat(300) } },
			{ type: 'event', name: 'tool_usage_started', data: { ...tool, tool_args: '{"a": 1}' } },
			{ type: 'event', name: 'tool_usage_finished', data: { ...tool, output: 'y'.repeat(300) } },
		] as const;
	}).flat();
	let next = await commit(store, first, [{ type: 'task_begun', taskId: 'research' }]);
	// Each at a time of its own, as they come.
	for (let at = 0; at < notes.length; at += 20)
		next = await commit(store, next, notes.slice(at, at + 20));
	await complete(store, next);
	for (let begun = 1; begun < EXECUTIONS; begun += 500) {
		const some = Array.from({ length: Math.min(500, EXECUTIONS - begun) }, async (_, index) =>
			complete(store, await kickOff(store, { inputs: { topic: `Topic ${begun + index}` } })),
		);
		await Promise.all(some);
	}
	await store.close();
}, 300_000);
afterAll(() => {
	rmSync(dataFolder, { recursive: true });
});

beforeEach(async () => {
	const task = {
		description: 'It takes its time',
		expectedOutput: 'x',
		agent: 'Writer',
		duration: 600_000,
		output: 'x',
	};
	await on.deploy({
		crew: { name: 'slow', inputs: [], tasks: [{ ...task, name: 'research' }] },
		dataFolder,
		retention: { executions: 2 * EXECUTIONS },
	});
	for (let index = 0; index < RUNNING; index++) await on.client.kickoff();
});

const INTERVAL = 50;

/** Shows the execution with many events, all of them read. */
async function showTimeline(): Promise<void> {
	await on.show(`#/executions/${long}`);
	await on.page.locator('.timeline h2', { hasText: /^Steps [45],\d/ }).waitFor();
	await on.page.locator('.bar').first().waitFor();
}

/** Scrolls through the list and notes what keeps the browser from answering. @returns milliseconds of the longest task */
async function longestTaskWhileScrolling(list: string): Promise<number> {
	return await on.page.evaluate(`new Promise((resolve) => {
		const box = document.querySelector('${list}');
		const tasks = [0];
		const observer = new PerformanceObserver((seen) => {
			for (const { duration } of seen.getEntries()) tasks.push(duration);
		});
		observer.observe({ type: 'longtask' });
		let step = 0;
		const timer = setInterval(() => {
			box.scrollTop += box.clientHeight * (step % 5 === 4 ? 20 : 0.8);
			step += 1;
			if (step < 100) return;
			clearInterval(timer);
			setTimeout(() => {
				observer.disconnect();
				resolve(Math.max(...tasks));
			}, 500);
		}, ${INTERVAL});
	})`);
}

/** Bytes that the page's scripts keep, garbage aside. */
async function heapOf(session: CDPSession): Promise<number> {
	await session.send('HeapProfiler.collectGarbage');
	const { usedSize } = await session.send('Runtime.getHeapUsage');
	return usedSize;
}

it('shows the first of 10,000 executions within a second, and scrolls through all of them', async () => {
	await on.open('#/connect');
	const begun = performance.now();
	await on.show('#/executions');
	await on.page.locator('a.row').first().waitFor();
	const took = performance.now() - begun;
	const longest = await longestTaskWhileScrolling('.virtual');
	await on.page.locator('a.row').first().focus();
	for (let press = 0; press < 200; press++) {
		if (
			await on.page.getByText(`${(EXECUTIONS + RUNNING).toLocaleString('en')} in all`).isVisible()
		)
			break;
		await on.page.keyboard.press('End');
		await on.page.waitForTimeout(INTERVAL);
	}
	await on.shows('in all');
	expect(took).toBeLessThanOrEqual(1_000);
	expect(longest).toBeLessThanOrEqual(100);
});

it('shows a timeline of 10,000 events within a second, and scrolls through its steps', async () => {
	await on.open('#/executions');
	await on.page.locator('a.row').first().waitFor();
	const begun = performance.now();
	await showTimeline();
	const took = performance.now() - begun;
	const longest = await longestTaskWhileScrolling('.picks .virtual');
	expect(took).toBeLessThanOrEqual(1_000);
	expect(longest).toBeLessThanOrEqual(100);
});

it('keeps its memory constant over a simulated hour of watching', async () => {
	let answers = 0;
	on.page.on('response', (response) => {
		if (response.url().includes('/page/executions')) answers += 1;
	});
	await on.page.clock.install();
	await on.open('#/executions');
	await on.page.locator('a.row').first().waitFor();
	const session = await on.page.context().newCDPSession(on.page);
	for (let second = 0; second < 3_600; second++) {
		const before = answers;
		await on.page.clock.runFor(1_000);
		// Something has changed each minute.
		if (second % 60 === 0) await on.client.kickoff();
		if (second % 600 === 300) {
			await showTimeline();
			await on.show('#/executions');
		}
		await until(() => answers > before);
	}
	expect(await heapOf(session)).toBeLessThanOrEqual(150 * 2 ** 20);
}, 600_000);

it('costs kickoffs and statuses next to nothing, even with ten pages open', async () => {
	const id = await on.client.kickoff();
	const measure = async () => ({
		status: await medianTime(300, () => on.client.get(`/${id}/status`)),
		kickoff: await medianTime(100, () => on.client.kickoff()),
	});
	const pages = await Promise.all(Array.from({ length: 10 }, openOne));
	const ratios: Array<{ status: number; kickoff: number }> = [];
	await setStates(pages, 'frozen');
	let before = await measure();
	// Compared to both measures alone, before and after: the machine may be busier later, and the store is larger.
	for (let round = 0; round < 15; round++) {
		await setStates(pages, 'active');
		const beside = await measure();
		await setStates(pages, 'frozen');
		const after = await measure();
		ratios.push({
			status: (2 * beside.status) / (before.status + after.status),
			kickoff: (2 * beside.kickoff) / (before.kickoff + after.kickoff),
		});
		before = after;
	}
	expect(medianOf(ratios.map(({ status }) => status))).toBeLessThanOrEqual(1.1);
	expect(medianOf(ratios.map(({ kickoff }) => kickoff))).toBeLessThanOrEqual(1.1);
}, 300_000);

interface OpenPage {
	session: CDPSession;
	/** Starts to look for the next request of the list. */
	nextRequest: () => Promise<unknown>;
}

async function openOne(): Promise<OpenPage> {
	const page = await on.browser.newPage();
	await page.goto(`${on.crew.url}/#token=${on.crew.accessToken}`);
	await page.locator('a.row').first().waitFor();
	return {
		session: await page.context().newCDPSession(page),
		nextRequest: () => page.waitForResponse((response) => response.url().includes('/executions')),
	};
}

/** Stops what pages do, or lets them go on, and waits until each has asked again. */
async function setStates(pages: OpenPage[], state: 'frozen' | 'active'): Promise<void> {
	const change = async ({ session, nextRequest }: OpenPage) => {
		const requested = state === 'active' && nextRequest();
		await session.send('Page.setWebLifecycleState', { state });
		await requested;
	};
	await Promise.all(pages.map(change));
}

/** @returns milliseconds */
async function medianTime(rounds: number, work: () => Promise<unknown>): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const begun = performance.now();
		await work();
		times.push(performance.now() - begun);
	}
	return medianOf(times);
}

function medianOf(numbers: number[]): number {
	return numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
