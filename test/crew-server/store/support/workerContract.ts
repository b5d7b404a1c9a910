import {
	LEASE_TIME,
	type Claimed,
	type Store,
	type StoreChange,
} from '../../../../crew-server/src/store/store';
import { after, begun, commit, kickOff, stored } from './orders';
import type { Tested } from './tested';

/** What every store does for workers. */
export function workersKeepTheContract(tested: () => Tested): void {
	describe('a worker', () => {
		let store: Store;
		beforeEach(() => {
			({ store } = tested());
		});

		it('gets requeued executions first, then the oldest, and no execution goes to two workers', async () => {
			const [first, second, third] = [
				await kickOff(store),
				await kickOff(store),
				await kickOff(store),
			];
			const [one] = await store.claim('a', 1);
			expect(one).toMatchObject({ key: first.key, wasInterrupted: false, lease: { epoch: 1 } });
			await commit(store, second, [{ type: 'stop' }]);
			await commit(store, one!, [{ type: 'requeued' }], one!.lease);
			const fourth = await kickOff(store);
			const [again, ...others] = [...(await store.claim('a', 2)), ...(await store.claim('b', 9))];
			expect(again).toMatchObject({ key: first.key, wasInterrupted: false, lease: { epoch: 2 } });
			expect(others.map(({ key }) => key)).toEqual([third.key, fourth.key]);
			expect(others.every(({ execution }) => execution.state === 'running')).toBe(true);
			expect(await store.claim('b', 9)).toEqual([]);
		});

		it('gets an execution at its kickoff if it has room for it', async () => {
			const given: Array<readonly Claimed[]> = [];
			const told: StoreChange[] = [];
			const events = ['crew_kickoff_started'];
			const target = { url: 'http://127.0.0.1:1/', events, realtime: true };
			store.onChange((change) => change && told.push(change));
			store.offer(() => ({ worker: 'a', take: (claimed) => given.push(claimed) }));
			const { key, version, execution } = await kickOff(store, { callbacks: { webhooks: target } });
			const lease = { worker: 'a', epoch: 1 };
			expect(given).toEqual([
				[expect.objectContaining({ key, version, execution, lease, wasInterrupted: false })],
			]);
			// Nobody else needs to look for it, except to send its callback.
			expect(told).toMatchObject([{ key, version: 2, state: 'running', hasCallbacks: true }]);
			expect(await store.claim('b', 9)).toEqual([]);
		});

		it('gets the longest waiting execution instead, or nothing if the kickoff is not accepted', async () => {
			const given: number[][] = [];
			const first = await kickOff(store);
			const once = { key: 'order-7', digest: 'a' };
			const place = {
				worker: 'a',
				take: (claimed: readonly Claimed[]) => given.push(claimed.map(({ key }) => key)),
			};
			store.offer(() => place);
			await store.create(begun(), once);
			await store.create(begun(), once);
			const change = begun();
			store.offer(() => undefined);
			await store.create(change);
			store.offer(() => place);
			await expect(store.create(change)).rejects.toThrow();
			expect(given).toEqual([[first.key], [], []]);
			expect(await store.claim('b', 9)).toHaveLength(2);
		});

		it('can write as long as it has its lease', async () => {
			await kickOff(store);
			const [claimed] = await store.claim('a', 1);
			await tested().pass(LEASE_TIME);
			// A worker does not claim its own executions again, however long its machine has slept.
			expect(await store.claim('a', 1)).toEqual([]);
			const [taken] = await store.claim('b', 1);
			expect(taken).toMatchObject({ wasInterrupted: true, lease: { worker: 'b', epoch: 2 } });
			const late = after(claimed!, { type: 'event', name: 'note', data: {} });
			expect(await store.commit(claimed!, late, claimed!.lease)).toBe('lost');
			const newest = { ...taken!, execution: claimed!.execution };
			expect(await store.commit(newest, late, claimed!.lease)).toBe('lost');
			expect(await store.events(taken!.execution.kickoffId, 0, 10)).toHaveLength(1);
			await commit(store, taken!, [{ type: 'task_begun', taskId: 'write' }], taken!.lease);
		});

		it('keeps what it renews', async () => {
			const { key } = await kickOff(store);
			const [claimed] = await store.claim('a', 1);
			await tested().pass(LEASE_TIME - 1);
			expect(await store.renew('a')).toEqual(new Map([[key, claimed!.version]]));
			expect(await store.renew('b')).toEqual(new Map());
			await tested().pass(LEASE_TIME - 1);
			expect(await store.claim('b', 1)).toEqual([]);
			await commit(store, claimed!, [{ type: 'tokens', usage: usage(1) }], claimed!.lease);
		});

		it('learns that it is outdated after a change by a client, and continues from there', async () => {
			const { execution } = await kickOff(store);
			const [claimed] = await store.claim('a', 1);
			const asked = await commit(
				store,
				claimed!,
				[{ type: 'question', taskId: 'research', output: 'draft' }],
				claimed!.lease,
			);
			const answer = {
				type: 'answer',
				taskId: 'research',
				feedback: '',
				isApprove: false,
			} as const;
			await commit(store, asked, [{ ...answer, callbacks: {} }]);
			const note = { type: 'event', name: 'note', data: {} } as const;
			expect(await store.commit(asked, after(asked, note), claimed!.lease)).toBe('outdated');
			await commit(store, await stored(store, execution.kickoffId), [note], claimed!.lease);
		});

		it.each([
			['stopped', { type: 'stop' }],
			['paused', { type: 'paused' }],
			['done', { type: 'crew_done' }],
		] as const)('loses the lease of an execution that is %s', async (_, message) => {
			await kickOff(store);
			const [claimed] = await store.claim('a', 1);
			const { lease } = claimed!;
			const asked = await commit(
				store,
				claimed!,
				[{ type: 'question', taskId: 'research', output: 'draft' }],
				lease,
			);
			const late = after(asked, { type: 'event', name: 'note', data: {} });
			const next = await commit(store, asked, [message]);
			expect(await store.renew('a')).toEqual(new Map());
			expect(await store.commit(next, late, lease)).toBe('lost');
		});
	});
}

function usage(total_tokens: number) {
	return { total_tokens, prompt_tokens: 0, completion_tokens: total_tokens };
}
