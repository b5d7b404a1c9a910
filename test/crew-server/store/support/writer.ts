import { setTimeout as sleep } from 'node:timers/promises';

import { openStore } from '../../../../crew-server/src/store/openStore';
import { StoreUnavailable, type Store, type Stored } from '../../../../crew-server/src/store/store';
import { after, kickOff } from './orders';

/**
 * A process that writes to the store in a folder, its first argument, until it is killed. It prints a line for each
 * write: the identifier and the number of events, or why it could not be written.
 */
async function main(): Promise<void> {
	const store = await openStore({ folder: process.argv[2] });
	await Promise.all(Array.from({ length: 16 }, () => write(store)));
}

async function write(store: Store): Promise<void> {
	let before = await kickOff(store, { callbacks: { stepWebhookUrl: 'http://127.0.0.1:1/' } });
	for (;;) before = await writeOnce(store, before);
}

async function writeOnce(store: Store, before: Stored): Promise<Stored> {
	const change = after(
		before,
		{ type: 'event', name: 'note', data: { text: 'x'.repeat(2_000) } },
		{ type: 'step', step: { prompt: '', thought: '', result: 'x'.repeat(500) } },
	);
	try {
		const next = (await store.commit(before, change)) as Stored;
		tell(`${next.execution.kickoffId} ${next.execution.events}`);
		return next;
	} catch (error) {
		if (!(error instanceof StoreUnavailable)) throw error;
		tell(`problem ${store.problem}`);
		await sleep(20);
		return before;
	}
}

function tell(line: string): void {
	process.stdout.write(`${line}\n`);
}

void main();
