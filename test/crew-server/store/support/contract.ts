import {
	KEPT_EVENTS,
	LEASE_TIME,
	type Store,
	type StoreChange,
} from '../../../../crew-server/src/store/store';
import type { Execution } from '../../../../crew-server/src/domain/execution';
import { callbacksKeepTheContract } from './callbackContract';
import { retentionKeepsTheContract } from './retentionContract';
import { searchKeepsTheContract } from './searchContract';
import type { OpenTested, Tested } from './tested';
import { workersKeepTheContract } from './workerContract';
import { after, begun, commit, complete, kickOff, stored } from './orders';

const URL = 'http://127.0.0.1:1/callback';
const ALL_EVENTS = ['crew_kickoff_started', 'task_started', 'note', 'crew_kickoff_completed'];

/** The behavior of every store. */
export function keepsTheContract(open: OpenTested): void {
	let tested: Tested;
	let store: Store;
	beforeEach(async () => {
		tested = await open();
		({ store } = tested);
	});
	afterEach(async () => {
		await tested.close();
	});

	describe('executions', () => {
		it('are found by their identifier', async () => {
			const change = begun({ meta: { a: '\0 \ud800' }, extension: ['x'] });
			await store.create(change);
			const found = await stored(store, change.execution.kickoffId);
			expect(found.execution).toEqual(change.execution);
			expect(await store.getByKey(found.key)).toMatchObject({ execution: change.execution });
			expect(await store.get('other')).toBeUndefined();
			expect(await store.getByKey(found.key + 1)).toBeUndefined();
		});

		it('exist once for one identifier, and simultaneous writes are kept', async () => {
			const change = begun();
			const outcomes = await Promise.allSettled([
				store.create(change),
				store.create(change),
				store.create(begun()),
			]);
			expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
			expect(await store.count('queued')).toBe(2);
			expect(store.problem).toBeUndefined();
		});

		it('exist once for one key, for a day, even if it arrives several times at once', async () => {
			const once = { key: 'order-7', digest: 'a' };
			const first = begun();
			const { kickoffId } = first.execution;
			const outcomes = await Promise.all([
				store.create(first, once),
				store.create(begun(), once),
				store.create(begun(), { ...once, digest: 'b' }),
				store.create(begun(), { ...once, key: 'order-8' }),
			]);
			expect(outcomes).toEqual([undefined, { kickoffId }, 'other_body', undefined]);
			await tested.pass(24 * 3_600_000 - 1);
			expect(await tested.store.create(begun(), once)).toEqual({ kickoffId });
			expect(await store.count('queued')).toBe(2);
			await tested.pass(1);
			expect(await store.create(begun(), { ...once, digest: 'b' })).toBeUndefined();
		});

		it('are listed newest first', async () => {
			const ids = [];
			for (let index = 0; index < 3; index++) ids.push((await kickOff(store)).execution.kickoffId);
			const listed = await store.list(2);
			expect(listed.map(({ kickoffId }) => kickoffId)).toEqual([ids[2], ids[1]]);
		});

		it('can have fewer tasks than before', async () => {
			const first = await kickOff(store);
			const [claimed] = await store.claim('a', 1);
			const crew = { name: 'writers', inputs: [], tasks: [] };
			await commit(store, claimed!, [{ type: 'planned_anew', crew, taskUuids: [] }]);
			await tested.reopen();
			expect(await stored(tested.store, first.execution.kickoffId)).toMatchObject({
				execution: { tasks: [] },
			});
		});

		it('are in the backlog while there is work left, and are counted once they have ended', async () => {
			await kickOff(store);
			await tested.pass(3_000);
			const stopped = await kickOff(store);
			await commit(store, stopped, [{ type: 'stop' }]);
			const callbacks = { crewWebhookUrl: URL, stepWebhookUrl: URL };
			const third = await kickOff(store, { callbacks });
			expect(await store.backlog()).toEqual({
				unfinished: { queued: 2, running: 0, pending_human_input: 0 },
				longestWait: 3_000,
				callbacks: 0,
			});
			const claimed = await store.claim('a', 9);
			const one = claimed.find(({ key }) => key === third.key)!;
			await commit(store, one, [{ type: 'requeued' }], one.lease);
			await tested.pass(1_000);
			const longestWait = async () => (await store.backlog()).longestWait;
			expect(await longestWait()).toBe(1_000);
			const [again] = await store.claim('a', 1);
			expect(await longestWait()).toBe(0);
			const step = { type: 'step', step: { prompt: 'a', thought: '', result: '' } } as const;
			const thought = await commit(store, again!, [step], again!.lease);
			await commit(store, thought, [{ type: 'crew_done', result: { output: '' } }], again!.lease);
			expect(await store.backlog()).toMatchObject({
				unfinished: { queued: 0, running: 1 },
				callbacks: 2,
			});
			expect(store.tally).toEqual({
				ended: { completed: 1, failed: 0, stopped: 1 },
				takeovers: 0,
			});
			await tested.pass(LEASE_TIME);
			await store.claim('b', 1);
			expect(store.tally.takeovers).toBe(1);
		});

		it('are counted in each state', async () => {
			await kickOff(store);
			await complete(store, await kickOff(store));
			const counts = (['queued', 'running', 'completed'] as const).map((state) =>
				store.count(state),
			);
			expect(await Promise.all(counts)).toEqual([1, 0, 1]);
		});

		it('are kept with everything in a change', async () => {
			const first = await kickOff(store);
			const question = {
				output: 'draft',
				outputJson: { a: [1] },
				reason: 'again',
				checkpoint: null,
			};
			const next = await commit(store, first, [
				{ type: 'checkpoint', checkpoint: { step: 1 } },
				{ type: 'task_begun', taskId: 'research', texts: { agent: 'scout' } },
				{ type: 'step', step: { prompt: 'p', thought: 't', result: 'r' } },
				{ type: 'task_done', taskId: 'research', output: 'found', checkpoint: ['kept'] },
				{ type: 'question', taskId: 'write', ...question },
			]);
			const read = await readAnew(first.execution.kickoffId);
			expect(read).toEqual(next.execution);
			expect(read.questions[0]?.checkpoint).toBeNull();
		});

		it('do not keep what they no longer need', async () => {
			const first = await kickOff(store);
			const next = await commit(store, first, [
				{ type: 'checkpoint', checkpoint: { step: 1 } },
				{ type: 'task_done', taskId: 'research', output: 'found', checkpoint: ['kept'] },
			]);
			await complete(store, next);
			const read = await readAnew(first.execution.kickoffId);
			expect(JSON.stringify(read)).not.toContain('checkpoint');
		});

		async function readAnew(kickoffId: string): Promise<Execution> {
			await tested.reopen();
			return (await stored(tested.store, kickoffId)).execution;
		}

		it('change only from their current version', async () => {
			const first = await kickOff(store);
			const outcomes = await Promise.all([
				store.commit(first, after(first, { type: 'stop' })),
				store.commit(first, after(first, { type: 'failed', error: 'too late' })),
			]);
			expect(outcomes).toEqual([expect.objectContaining({ version: 2 }), 'outdated']);
			expect((await stored(store, first.execution.kickoffId)).execution.state).toBe('stopped');
			expect(await store.events(first.execution.kickoffId, 1, 10)).toMatchObject([
				{ type: 'crew_kickoff_stopped' },
			]);
		});

		it('can continue under another identifier, with new event numbers', async () => {
			const target = { url: URL, events: ALL_EVENTS };
			const first = await kickOff(store, { callbacks: { webhooks: target } });
			const { kickoffId } = first.execution;
			const asked = await commit(store, first, [
				{ type: 'question', taskId: 'research', output: 'draft' },
				{ type: 'event', name: 'note', data: { text: 'held' } },
				{ type: 'paused' },
			]);
			const answer = { type: 'answer', taskId: 'research', feedback: '', isApprove: true } as const;
			const changes: StoreChange[] = [];
			store.onChange((change) => change && changes.push(change));
			const renamed = await commit(store, asked, [
				{ ...answer, callbacks: {}, newId: 'new-id' },
				{ type: 'event', name: 'note', data: {} },
			]);
			expect(changes).toMatchObject([{ before: kickoffId, kickoffId: 'new-id', key: first.key }]);
			expect(await store.get(kickoffId)).toBeUndefined();
			expect(await store.events(kickoffId, 0, 10)).toEqual([]);
			expect(await stored(store, 'new-id')).toMatchObject({
				key: first.key,
				version: renamed.version,
			});
			expect((await store.events('new-id', 0, 10)).map(({ id }) => id)).toEqual(['new-id-1']);
			const held = (await store.callbacks(10)).find(({ id }) => id === `${kickoffId}-stream-2`);
			expect(held?.body['events']).toMatchObject([{ type: 'note', data: { text: 'held' } }]);
		});

		it('can be deleted only if they have ended', async () => {
			const ended = await complete(
				store,
				await kickOff(store, { callbacks: { crewWebhookUrl: URL } }),
			);
			const going = await kickOff(store);
			await store.forget(ended.execution.kickoffId);
			await store.forget(going.execution.kickoffId);
			expect(await store.get(ended.execution.kickoffId)).toBeUndefined();
			expect(await store.events(ended.execution.kickoffId, 0, 10)).toEqual([]);
			expect(await store.callbacks(10)).toEqual([]);
			expect(await store.list(10)).toEqual([going.execution]);
		});
	});

	describe('events', () => {
		it('are returned from a number on, oldest first', async () => {
			const first = await kickOff(store);
			const { kickoffId } = first.execution;
			const note = { type: 'event', name: 'note', data: {} } as const;
			await commit(store, first, [note, note, note]);
			const numbers = async (from: number, limit: number) =>
				(await store.events(kickoffId, from, limit)).map(({ id }) =>
					id.slice(kickoffId.length + 1),
				);
			expect(await numbers(0, 10)).toEqual(['1', '2', '3', '4']);
			expect(await numbers(1, 2)).toEqual(['2', '3']);
			expect(await numbers(4, 10)).toEqual([]);
		});

		it('are kept, but only the newest ones', async () => {
			const first = await kickOff(store);
			const notes = Array.from({ length: KEPT_EVENTS + 1 }, () => ({
				type: 'event' as const,
				name: 'note',
				data: {},
			}));
			await commit(store, first, notes);
			const events = await store.events(first.execution.kickoffId, 0, 2 * KEPT_EVENTS);
			expect(events).toHaveLength(KEPT_EVENTS);
			expect(events[0]?.data['emission_sequence']).toBe(3);
		});

		it('that are held come with the next callback', async () => {
			const target = { url: URL, events: ['crew_kickoff_started', 'crew_kickoff_completed'] };
			const first = await kickOff(store, { callbacks: { webhooks: target }, meta: { a: 1 } });
			const next = await commit(store, first, [{ type: 'event', name: 'note', data: {} }]);
			await complete(store, next);
			const [callback] = await store.claimCallbacks(1, []);
			expect(Object.keys(callback!.body)).toEqual(['events', 'meta']);
			expect(callback!.body['events']).toMatchObject([
				{ type: 'crew_kickoff_started' },
				{ type: 'crew_kickoff_completed' },
			]);
		});
	});

	workersKeepTheContract(() => tested);
	callbacksKeepTheContract(() => tested);
	searchKeepsTheContract(() => tested);
	retentionKeepsTheContract(open);

	it('notifies of each change once it is kept, before its writer continues', async () => {
		const told: string[] = [];
		const stop = store.onChange((change) => change && told.push(change.state));
		const first = await kickOff(store).then((one) => (told.push('created'), one));
		const [claimed] = await store.claim('a', 1);
		await complete(store, claimed!).then(() => told.push('ended'));
		stop();
		await store.forget(first.execution.kickoffId);
		expect(told).toEqual(['queued', 'created', 'running', 'completed', 'ended']);
	});

	it('cannot be used once it is closed, and has finished earlier writes by then', async () => {
		const created = store.create(begun());
		await store.close();
		await created;
		await expect(store.list(1)).rejects.toMatchObject({ name: 'StoreUnavailable' });
		await expect(store.create(begun())).rejects.toMatchObject({ name: 'StoreUnavailable' });
	});
}
