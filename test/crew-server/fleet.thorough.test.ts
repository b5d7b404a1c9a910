import { setTimeout as sleep } from 'node:timers/promises';

import { LEASE_TIME } from '../../crew-server/src/store/store';
import { Fleet } from './fleet/fleet';
import { faultsOf, type Seen } from './fleet/history';
import { Load } from './fleet/load';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

/** How many executions three servers work on at once. */
const PARALLEL = 8;

let fleet: Fleet;
let receiver: Receiver;
let load: Load;

jest.setTimeout(180_000);
beforeAll(async () => {
	fleet = await Fleet.start(3, PARALLEL);
});
afterAll(() => fleet.close());
beforeEach(async () => {
	receiver = await startReceiver();
	load = new Load(fleet, receiver);
});
afterEach(() => receiver.close());

/** Everything that was started has come to its end as if nothing had happened. */
async function expectAllWell(): Promise<Seen[]> {
	let isOver = false;
	let most = 0;
	const watch = async () => {
		while (!isOver) most = Math.max(most, (await fleet.running()) ?? 0);
	};
	const watching = watch();
	const seen = await load.seen().finally(() => (isOver = true));
	await watching;
	expect(most).toBeLessThanOrEqual(PARALLEL);
	expect(seen.flatMap(faultsOf)).toEqual([]);
	return seen;
}

it('works on what any server was told, and each tells all of it', async () => {
	await load.start(12);
	expect(load.started).toHaveLength(12);
	await load.stop(load.started.at(-1) ?? '');
	await expectAllWell();
});

it('loses nothing to a server that is killed, and one that joins later knows it all', async () => {
	await load.start(9);
	await fleet.end(fleet.servers[0]!, 'SIGKILL');
	await load.start(6);
	await fleet.add();
	expect(load.started.length).toBeGreaterThan(9);
	await expectAllWell();
});

it('goes on at once with the work of servers that are ended one after the other, and begins no task twice', async () => {
	await load.start(9);
	const begun = performance.now();
	for (const server of [...fleet.servers]) {
		await fleet.add();
		expect(await fleet.end(server, 'SIGTERM')).toBe(0);
		await load.start(2);
	}
	const seen = await expectAllWell();
	expect(performance.now() - begun).toBeLessThan(LEASE_TIME);
	const begunTasks = ({ readers: [events = []] }: Seen) =>
		events.filter(({ type }) => type === 'task_started').length;
	expect(seen.map(begunTasks)).toEqual(seen.map(() => 3));
});

it('does nothing twice for a server that stood still beyond its lease', async () => {
	await load.start(9);
	const { command } = fleet.servers[1]!;
	command.kill('SIGSTOP');
	await load.start(6);
	await sleep(LEASE_TIME + 2_000);
	command.kill('SIGCONT');
	await load.start(3);
	await expectAllWell();
});

it('goes on after a crash of the database', async () => {
	await load.start(9);
	await fleet.postgres.crash();
	await until(async () => {
		await load.start(1);
		return load.started.length > 9;
	}, 30_000);
	await expectAllWell();
});
