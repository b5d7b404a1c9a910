import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { openStore } from '../../../crew-server/src/store/openStore';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { bundled } from '../support/bundled';
import { limitFiles } from '../support/limitFiles';
import { onLinux } from '../support/onLinux';
import { until } from '../support/until';

const script = bundled(join(__dirname, 'support', 'writer.ts'));
let folder: string;
let child: ChildProcess;
/** How many events of each execution the store has confirmed. */
let told: Map<string, number>;
let lines: string[];

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'crew-store-'));
	told = new Map();
	lines = [];
	child = spawn(process.execPath, [script, folder], {
		cwd: repositoryFolder,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	createInterface({ input: child.stdout! }).on('line', (line) => {
		lines.push(line);
		const [id = '', count] = line.split(' ');
		if (id !== 'problem') told.set(id, Number(count));
	});
});
afterEach(async () => {
	if (child.exitCode === null && child.signalCode === null) await kill();
	rmSync(folder, { recursive: true });
});

async function kill(): Promise<void> {
	const closed = once(child, 'close');
	child.kill('SIGKILL');
	await closed;
}

/** Expects that everything the store has confirmed is there, and complete. */
async function expectAllKept(): Promise<void> {
	const store = await openStore({ folder });
	const steps = await store.callbacks(1_000_000);
	expect(told.size).toBe(16);
	for (const [id, count] of told) {
		const events = await store.events(id, 0, 1_000_000);
		expect(events.length).toBeGreaterThanOrEqual(count);
		expect(events.at(-1)?.id).toBe(`${id}-${events.length}`);
		// Each change has an event and a callback, in addition to the event of the kickoff.
		expect(steps.filter(({ kickoffId }) => kickoffId === id)).toHaveLength(events.length - 1);
		expect((await store.get(id))?.execution.events).toBe(events.length);
	}
	await store.close();
}

it('keeps what it has confirmed after `kill -9`', async () => {
	await until(() => lines.length > 1_000);
	await kill();
	await expectAllKept();
});

onLinux('on Linux, loses nothing if the disk is full for a while', async () => {
	await until(() => lines.length > 300);
	const refused = () => lines.filter((line) => line.startsWith('problem ')).length;
	limitFiles(child.pid, 1024 ** 2);
	await until(() => refused() > 16);
	expect(lines.at(-1)).toMatch(/^problem .*(full|I\/O)/);
	limitFiles(child.pid, 'unlimited');
	const before = lines.length;
	await until(() => lines.length - before > 300 && !lines.at(-1)?.startsWith('problem'));
	await kill();
	await expectAllKept();
});
