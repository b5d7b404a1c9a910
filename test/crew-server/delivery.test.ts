import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import {
	DEFAULT_DELIVERY,
	Delivery,
	type DeliverySettings,
} from '../../crew-server/src/delivery/delivery';
import { kickoff } from '../../crew-server/src/domain/kickoff';
import type { DueCallback } from '../../crew-server/src/domain/targets';
import { noLog } from '../../crew-server/src/log';
import { openStore } from '../../crew-server/src/store/openStore';
import { StoreUnavailable, type Store } from '../../crew-server/src/store/store';
import { textLike } from './support/matchers';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

let store: Store;
const ends: Array<() => Promise<void>> = [];

beforeEach(async () => {
	store = await openStore({});
	ends.push(() => store.close());
});
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

/** With short pauses between attempts. */
function deliver(settings: Partial<DeliverySettings> = {}, from = store): Delivery {
	const all = { ...DEFAULT_DELIVERY, retryDelay: 10, ...settings };
	const delivery = new Delivery({ store: from, settings: all, log: noLog });
	ends.push(() => delivery.close());
	delivery.start();
	return delivery;
}

async function receive(...answer: Parameters<typeof startReceiver>): Promise<Receiver> {
	const receiver = await startReceiver(...answer);
	ends.push(() => receiver.close());
	return receiver;
}

type Due = Pick<DueCallback, 'url'> & Partial<DueCallback>;

/** Callbacks of one execution, in this order. */
async function due(callbacks: readonly Due[], to = store): Promise<void> {
	const kickoffId = randomUUID();
	const crew = { name: 'mine', inputs: [], tasks: [] };
	const order = { kickoffId, taskUuids: [], owner: 'user', inputs: {}, callbacks: {} } as const;
	const { execution } = kickoff(crew, order, Date.now());
	await to.create({
		execution,
		events: [],
		callbacks: callbacks.map((one, index) => ({
			id: `${kickoffId}-${index}`,
			kickoffId,
			kind: 'task',
			body: { index },
			...one,
		})),
	});
}

/** A number of executions, each with one callback. */
const dueOfEach = (count: number, url: (index: number) => string) =>
	Promise.all(Array.from({ length: count }, (_, index) => due([{ url: url(index) }])));

const fates = async () => (await store.callbacks(5_000)).map(({ fate }) => fate);
const areDelivered = async () => (await fates()).every((fate) => fate === 'delivered');

/** An answer that is held back until the test opens it. */
function gate(): { isOpen: Promise<number>; open: () => void } {
	let open: () => void = () => undefined;
	const isOpen = new Promise<number>((resolve) => {
		open = () => {
			resolve(200);
		};
	});
	ends.push(() => {
		open();
		return Promise.resolve();
	});
	return { isOpen, open };
}

it('sends callbacks of one execution to one URL in order, each after the one before has arrived', async () => {
	const receiver = await receive((index) => (index < 2 ? 503 : 200));
	const url = `${receiver.url}/task`;
	await due([{ url }, { url }, { url }]);
	deliver();
	await until(areDelivered);
	const order = receiver.received.map(({ body }) => body['index']);
	expect(order).toEqual([0, 0, 0, 1, 2]);
});

it('sends an end or a question at once while failed steps wait for a retry at the same URL', async () => {
	const receiver = await receive((_index, { body }) => (body['index'] === 3 ? 200 : 503));
	const { url } = receiver;
	await due([{ url, kind: 'step' }, { url, kind: 'step' }, { url }, { url, kind: 'crew' }]);
	deliver({ retryDelay: 60_000 });
	await until(async () => (await fates())[3] === 'delivered');
	expect(receiver.received.map(({ body }) => body['index'])).toEqual([0, 3]);
	expect(await fates()).toEqual(['due', 'due', 'due', 'delivered']);
});

it('does not make quick paths wait for a slow path of the same receiver, nor for another receiver', async () => {
	const { isOpen, open } = gate();
	const slow = await receive((_index, { path }) => (path === '/slow' ? isOpen : 200));
	const other = await receive();
	await dueOfEach(300, () => `${slow.url}/slow`);
	await due([{ url: `${slow.url}/quick` }]);
	await due([{ url: other.url }]);
	deliver();
	const on = (path: string) => slow.received.filter((one) => one.path === path).length;
	await until(() => on('/quick') === 1 && other.received.length === 1);
	await until(() => on('/slow') === 48);
	open();
	await until(areDelivered);
	expect(slow.received).toHaveLength(301);
});

it('sends 64 to one receiver at a time', async () => {
	const { isOpen, open } = gate();
	const receiver = await receive(() => isOpen);
	const other = await receive();
	await dueOfEach(200, (index) => `${receiver.url}/${index % 4}`);
	deliver();
	await until(() => receiver.received.length >= 64);
	await due([{ url: other.url }]);
	await until(() => other.received.length === 1);
	expect(receiver.received).toHaveLength(64);
	open();
	await until(areDelivered);
	expect(receiver.received).toHaveLength(200);
});

it('counts the time for an answer only once there is a place at the receiver', async () => {
	const receiver = await receive(() => sleep(700, 200));
	const count = 64 * 6;
	// They take longer than one of them may.
	await dueOfEach(count, (index) => `${receiver.url}/${index}`);
	deliver({ timeout: 2_500 });
	await until(() => receiver.received.length === count, 30_000);
	await until(areDelivered);
	expect(receiver.received).toHaveLength(count);
});

it('continues after a restart with the remaining attempts, when they are due', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'crew-data-'));
	const receiver = await receive(() => 503);
	const first = await openStore({ folder });
	await due([{ url: receiver.url }], first);
	const attempts = async (of: Store) => (await of.callbacks(1))[0]?.attempts ?? [];
	const before = deliver({ retryDelay: 500 }, first);
	await until(async () => (await attempts(first)).length === 1);
	await before.close();
	await first.close();

	const second = await openStore({ folder });
	const after = deliver({ retryDelay: 500 }, second);
	await until(async () => (await second.callbacks(1))[0]?.fate === 'given_up');
	expect(receiver.received).toHaveLength(3);
	const [one, two, three] = (await attempts(second)).map(({ at }) => at) as [
		number,
		number,
		number,
	];
	expect(two - one).toBeGreaterThanOrEqual(490);
	expect(three - two).toBeGreaterThanOrEqual(1_990);
	await after.close();
	await second.close();
	rmSync(folder, { recursive: true });
});

it('does not wait forever for an answer, even after a garbage collection', async () => {
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	const receiver = await receive(() => 'hang');
	await dueOfEach(20, () => receiver.url);
	deliver({ timeout: 1_000, tries: 1 });
	await until(() => receiver.received.length === 20);
	collectGarbage();
	await until(async () => (await fates()).every((fate) => fate === 'given_up'), 5_000);
	const all = await store.callbacks(20);
	for (const { attempts } of all) {
		expect(attempts).toMatchObject([{ problem: 'no answer within 1000 ms' }]);
	}
});

it('reads hundreds of due callbacks bit by bit, as it can send them', async () => {
	const { isOpen, open } = gate();
	const receiver = await receive(() => isOpen);
	await due(Array.from({ length: 500 }, (_, index) => ({ url: `${receiver.url}/${index}` })));
	let claimed = 0;
	const claimCallbacks: Store['claimCallbacks'] = async (...args) => {
		const callbacks = await store.claimCallbacks(...args);
		claimed += callbacks.length;
		return callbacks;
	};
	deliver({}, instead(store, { claimCallbacks }));
	await until(() => receiver.received.length === 64);
	const other = await receive();
	await due([{ url: other.url }]);
	await until(() => other.received.length === 1);
	expect(claimed).toBeLessThanOrEqual(129);
	open();
	await until(() => receiver.received.length === 500, 30_000);
	await until(areDelivered);
	expect(receiver.received).toHaveLength(500);
	expect(claimed).toBe(501);
});

it('has its headers, and the authentication that the target or its URL asks for', async () => {
	const receiver = await receive();
	const url = receiver.url.replace('//', '//us%C3%A9r:p%40ss@');
	await due([{ url, id: 'my-callback' }]);
	await due([{ url, authentication: { strategy: 'bearer', token: 'mine' } }]);
	deliver();
	await until(areDelivered);
	const headers = receiver.received.map(({ headers: all }) => all);
	expect(headers).toContainEqual(
		expect.objectContaining({
			'webhook-id': 'my-callback',
			authorization: `Basic ${Buffer.from('usér:p@ss').toString('base64')}`,
		}),
	);
	expect(headers).toContainEqual(
		expect.objectContaining({ 'webhook-id': textLike(/-0$/), authorization: 'Bearer mine' }),
	);
});

it('records the outcome of a callback as soon as the store can write again', async () => {
	const receiver = await receive();
	await due([{ url: receiver.url }]);
	let refused = 0;
	const settle: Store['settle'] = (...args) => {
		if (refused === 2) return store.settle(...args);
		refused += 1;
		return Promise.reject(new StoreUnavailable('full'));
	};
	deliver({}, instead(store, { settle }));
	await until(areDelivered);
	expect(refused).toBe(2);
	expect(receiver.received).toHaveLength(1);
});

it('ends within a second, and leaves unfinished callbacks to the next one', async () => {
	const { isOpen, open } = gate();
	const receiver = await receive(() => isOpen);
	await dueOfEach(100, () => receiver.url);
	const first = deliver();
	await until(() => receiver.received.length === 64);
	const begin = performance.now();
	await first.close();
	expect(performance.now() - begin).toBeLessThan(1_000);
	expect(new Set(await fates())).toEqual(new Set(['due']));
	open();
	deliver();
	await until(areDelivered);
});

/** A store with some of its methods replaced. */
function instead(other: Store, methods: Partial<Store>): Store {
	return new Proxy(other, {
		get: (target, name) => {
			const value: unknown = Reflect.get(Object.hasOwn(methods, name) ? methods : target, name);
			return typeof value === 'function' ? (value.bind(target) as unknown) : value;
		},
	});
}
