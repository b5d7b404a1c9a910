/**
 * Started by lifetime.test.ts as `node --expose-gc --import tsx`, outside jest, which would distort the memory: runs children
 * of one host to their end, and tells its parent how many of them are still in memory.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { noLog } from '../../../crew-server/src/log';
import { Children, type Child } from '../../../crew-server/src/worker/crewai/children';

const COUNT = 3;
const [folder = '', python = ''] = process.argv.slice(2);

async function runToItsEnd(children: Children): Promise<WeakRef<Child>> {
	const child = children.start();
	child.send({ type: 'describe' });
	await child.exited;
	return new WeakRef(child);
}

async function measure(): Promise<number> {
	const own = mkdtempSync(join(tmpdir(), 'crew-ended-'));
	// The host removes the folder of the socket.
	const [sockets, storage] = [join(own, 'sockets'), join(own, 'storage')];
	mkdirSync(sockets);
	mkdirSync(storage);
	const socket = join(sockets, 'children');
	const settings = {
		python,
		folder,
		socket,
		storage,
		env: process.env,
		log: noLog,
		onPrinted: () => undefined,
	};
	const children = await Children.start(settings, 1_000_000);
	const ended: Array<WeakRef<Child>> = [];
	while (ended.length < COUNT) ended.push(await runToItsEnd(children));
	for (let round = 0; round < 5; round++) {
		await new Promise(setImmediate);
		gc!();
	}
	const held = ended.filter((child) => child.deref() !== undefined).length;
	await children.close();
	rmSync(own, { recursive: true });
	return held;
}

void measure().then((held) => process.send!(held));
