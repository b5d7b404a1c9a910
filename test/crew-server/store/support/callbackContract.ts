import { randomBytes } from 'node:crypto';

import {
	LEASE_TIME,
	type ClaimedCallback,
	type Store,
	type StoreChange,
} from '../../../../crew-server/src/store/store';
import { commit, complete, kickOff } from './orders';
import type { Tested } from './tested';

const URL = 'http://127.0.0.1:1/callback';
const OTHER_URL = 'http://127.0.0.1:1/other';

/** How every store handles callbacks. */
export function callbacksKeepTheContract(tested: () => Tested): void {
	describe('callbacks', () => {
		let store: Store;
		beforeEach(() => {
			({ store } = tested());
		});
		const idsOf = (callbacks: readonly ClaimedCallback[]) =>
			callbacks.map(({ id }) => id.replace(/^.{36}-/, ''));
		const claimIds = async () => idsOf(await store.claimCallbacks(100, []));

		const step = (result: string) =>
			({ type: 'step', step: { prompt: '', thought: '', result } }) as const;
		const failed = { at: 1, status: 500, problem: 'answered 500' };
		const again = { fate: 'due', after: 1_000 } as const;
		const delivered = { fate: 'delivered' } as const;

		async function take(): Promise<ClaimedCallback> {
			const [callback] = await store.claimCallbacks(1, []);
			if (!callback) throw new Error('there is none');
			return callback;
		}

		it('come one by one for each execution and URL, in order', async () => {
			const callbacks = { stepWebhookUrl: URL, taskWebhookUrl: OTHER_URL };
			const first = await kickOff(store, { callbacks });
			await commit(store, first, [
				step('1'),
				step('2'),
				{ type: 'task_done', taskId: 'research', output: '' },
			]);
			await commit(store, await kickOff(store, { callbacks }), [step('1')]);
			const claimed = await store.claimCallbacks(100, []);
			expect(idsOf(claimed)).toEqual(['step-1', 'task-3', 'step-1']);
			expect(claimed[0]).toMatchObject({ url: URL, kind: 'step', tries: 0, body: { result: '1' } });
			expect(await claimIds()).toEqual([]);
			const changes: StoreChange[] = [];
			store.onChange((change) => change && changes.push(change));
			await store.settle(claimed[0]!, { at: 1, status: 200 }, delivered);
			expect(changes).toMatchObject([{ key: first.key, hasCallbacks: true }]);
			expect(await claimIds()).toEqual(['step-2']);
		});

		it('come one by one to an address of any length', async () => {
			// Random, so that it cannot be compressed.
			const bytes = Array.from({ length: 200 }, () => randomBytes(32).toString('hex'));
			const long = `${URL}?${bytes.join('')}`;
			const callbacks = { stepWebhookUrl: `${long}1`, taskWebhookUrl: `${long}2` };
			const done = { type: 'task_done', taskId: 'research', output: '' } as const;
			await commit(store, await kickOff(store, { callbacks }), [step('1'), step('2'), done]);
			const [first, other] = await store.claimCallbacks(100, []);
			expect([first?.url, other?.url]).toEqual([`${long}1`, `${long}2`]);
			await store.settle(first!, { at: 1, status: 200 }, delivered);
			expect(await claimIds()).toEqual(['step-2']);
		});

		it('are tried again when it is time, and the following ones wait for that', async () => {
			const first = await kickOff(store, { callbacks: { stepWebhookUrl: URL } });
			await commit(store, first, [step('1'), step('2')]);
			expect(await store.nextCallback()).toBeUndefined();
			await store.settle(await take(), failed, again);
			expect(await store.nextCallback()).toBe(1_000);
			await tested().pass(999);
			expect(await claimIds()).toEqual([]);
			await tested().pass(1);
			const retried = await take();
			expect(retried).toMatchObject({ tries: 1, body: { result: '1' } });
			await store.settle(retried, failed, { fate: 'given_up' });
			expect(await claimIds()).toEqual(['step-2']);
		});

		it('about an end or a question do not wait for failed ones, but all others do', async () => {
			const callbacks = { stepWebhookUrl: URL, crewWebhookUrl: URL, humanInputWebhookUrl: URL };
			const first = await kickOff(store, { callbacks });
			const next = await commit(store, first, [step('1'), step('2'), step('3')]);
			const claimed = await take();
			const asked = await commit(store, next, [
				{ type: 'question', taskId: 'research', output: 'draft' },
			]);
			expect(await claimIds()).toEqual([]);
			await store.settle(claimed, failed, again);
			const question = await take();
			expect(idsOf([question])).toEqual(['human_input-4']);
			await complete(store, asked);
			expect(await claimIds()).toEqual([]);
			await store.settle(question, failed, again);
			expect(await claimIds()).toEqual(['crew-5']);
		});

		it('to URLs and origins that are excluded are not claimed', async () => {
			const elsewhere = 'http://127.0.0.1:2/x';
			const callbacks = {
				stepWebhookUrl: URL,
				taskWebhookUrl: OTHER_URL,
				crewWebhookUrl: elsewhere,
			};
			const first = await kickOff(store, { callbacks });
			const done = { type: 'task_done', taskId: 'research', output: '' } as const;
			await commit(store, first, [step('1'), done, { type: 'crew_done' }]);
			expect(await store.claimCallbacks(9, ['http://127.0.0.1:1', elsewhere])).toEqual([]);
			expect(idsOf(await store.claimCallbacks(9, ['http://127.0.0.1:1']))).toEqual(['crew-3']);
			expect(idsOf(await store.claimCallbacks(9, [URL]))).toEqual(['task-2']);
			expect(await claimIds()).toEqual(['step-1']);
		});

		it('that were claimed but not sent can be claimed again once they are released or the claim has lapsed', async () => {
			await commit(store, await kickOff(store, { callbacks: { stepWebhookUrl: URL } }), [
				step('1'),
			]);
			await store.releaseCallbacks([await take()]);
			await take();
			await tested().pass(LEASE_TIME - 1);
			expect(await claimIds()).toEqual([]);
			await tested().pass(1);
			expect(await claimIds()).toEqual(['step-1']);
		});

		it('are listed with their fate, without secrets, and shortened', async () => {
			const authentication = { strategy: 'bearer', token: 'secret' } as const;
			const webhooks = { url: URL, events: ['note'], realtime: true, authentication };
			const first = await kickOff(store, { callbacks: { webhooks } });
			const text = 'x'.repeat(65_536);
			await commit(store, first, [
				{ type: 'event', name: 'note', data: { text } },
				{ type: 'event', name: 'note', data: {} },
			]);
			const claimed = await take();
			expect(claimed.authentication).toEqual(authentication);
			await store.settle(claimed, failed, again);
			await tested().pass(1_000);
			await store.settle(await take(), { at: 2, status: 200 }, delivered);
			const [one, other] = await store.callbacks(10);
			const bytes = JSON.stringify(claimed.body).length;
			expect(one).toMatchObject({ fate: 'delivered', attempts: [failed, { at: 2, status: 200 }] });
			expect(one?.body).toEqual({ bytes });
			expect(other).toMatchObject({ fate: 'due', attempts: [] });
			expect(JSON.stringify([one, other])).not.toContain('secret');
			expect(await store.callbacks(1)).toEqual([other]);
		});

		it('are kept; of the settled ones, the newest 1,000', async () => {
			const first = await kickOff(store, { callbacks: { stepWebhookUrl: URL } });
			const steps = Array.from({ length: 1_002 }, (_, index) => step(String(index)));
			await commit(store, first, steps);
			for (let index = 0; index < 1_001; index++) {
				await store.settle(await take(), { at: 1, status: 200 }, delivered);
			}
			const kept = await store.callbacks(2_000);
			expect(kept.map(({ body }) => body['result'])).toEqual(
				Array.from({ length: 1_001 }, (_, index) => String(index + 1)),
			);
		});

		it('that were given up can be sent again, with the authentication', async () => {
			const callbacks = { stepWebhookUrl: URL, taskWebhookUrl: OTHER_URL };
			const { key } = await kickOff(store, { callbacks });
			const first = await store.getByKey(key);
			const text = 'x'.repeat(65_536);
			await commit(store, first!, [step(text), step('2')]);
			const claimed = await take();
			expect(await store.sendAgain(key, claimed.id, undefined)).toBe(false);
			await store.settle(claimed, failed, { fate: 'given_up' });
			await store.settle(await take(), { at: 2, status: 200 }, delivered);
			const other = await kickOff(store);
			expect(await store.sendAgain(other.key, claimed.id, undefined)).toBe(false);
			const changes: StoreChange[] = [];
			store.onChange((change) => change && changes.push(change));
			const authentication = { strategy: 'bearer', token: 'secret' } as const;
			expect(await store.sendAgain(key, claimed.id, authentication)).toBe(true);
			expect(changes).toMatchObject([{ key, hasCallbacks: true }]);
			const again = await take();
			expect(again).toEqual({ ...claimed, authentication });
			await store.settle(again, { at: 3, status: 200 }, delivered);
			expect(await store.callbacksOf(other.key)).toEqual([]);
			expect(await store.callbacksOf(key)).toMatchObject([
				{ id: claimed.id, fate: 'delivered', attempts: [failed, { at: 3, status: 200 }] },
				{ fate: 'delivered', attempts: [{ at: 2, status: 200 }] },
			]);
			expect(await store.sendAgain(key, claimed.id, undefined)).toBe(false);
		});

		it('that are too large to be kept cannot be sent again', async () => {
			const { key } = await kickOff(store, { callbacks: { stepWebhookUrl: URL } });
			const first = await store.getByKey(key);
			await commit(store, first!, [step('x'.repeat(1_048_576))]);
			const claimed = await take();
			await store.settle(claimed, failed, { fate: 'given_up' });
			expect(await store.sendAgain(key, claimed.id, undefined)).toBe(false);
		});

		it('that are settled after their execution was deleted change nothing', async () => {
			const first = await kickOff(store, { callbacks: { crewWebhookUrl: URL } });
			await complete(store, first);
			const claimed = await take();
			await store.forget(first.execution.kickoffId);
			await store.settle(claimed, { at: 1, status: 200 }, delivered);
			expect(await store.callbacks(10)).toEqual([]);
		});
	});
}
