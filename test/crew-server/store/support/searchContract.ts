import type { Query, Store } from '../../../../crew-server/src/store/store';
import { commit, complete, kickOff } from './orders';
import type { Tested } from './tested';

/** How every store finds executions. */
export function searchKeepsTheContract(tested: () => Tested): void {
	describe('a search', () => {
		let store: Store;
		beforeEach(() => {
			({ store } = tested());
		});

		const find = async (query: Partial<Query>) => {
			const { found } = await store.find({ limit: 10, ...query });
			return found.map(({ kickoffId }) => kickoffId);
		};
		const start = async (order: Parameters<typeof kickOff>[1] = {}) => {
			const stored = await kickOff(store, order);
			return { stored, id: stored.execution.kickoffId };
		};

		it('returns each execution in short', async () => {
			const { stored } = await start({ inputs: { topic: 'x'.repeat(1_000) } });
			const done = { type: 'task_done', taskId: 'research', output: 'found' } as const;
			const usage = { total_tokens: 3, prompt_tokens: 1, completion_tokens: 2 };
			const ended = await commit(store, stored, [
				done,
				{ type: 'tokens', usage },
				{ type: 'failed', error: 'no model' },
			]);
			const { kickoffId, startedAt, finishedAt } = ended.execution;
			const expected = {
				kickoffId,
				key: stored.key,
				status: 'failed',
				owner: 'organisation',
				inputs: JSON.stringify({ topic: 'x'.repeat(1_000) }).slice(0, 500),
				tokenUsage: usage,
				tasks: { completed: 1, all: 2 },
				error: 'no model',
				startedAt,
				finishedAt,
			};
			expect((await store.find({ limit: 1 })).found).toEqual([expected]);
			await tested().reopen();
			expect((await tested().store.find({ limit: 1 })).found).toEqual([expected]);
		});

		it('continues page by page, newest first', async () => {
			const ids = [];
			for (let index = 0; index < 5; index++) ids.unshift((await start()).id);
			const pages = [];
			let before: number | undefined;
			do {
				const { found, next } = await store.find({ limit: 2, before });
				pages.push(found.map(({ kickoffId }) => kickoffId));
				before = next;
			} while (before !== undefined);
			expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
		});

		it('can be by status, in the sense of the API', async () => {
			const queued = await start();
			const asked = await start();
			await commit(store, asked.stored, [
				{ type: 'question', taskId: 'research', output: 'draft' },
			]);
			const paused = await start();
			const question = { type: 'question', taskId: 'research', output: 'draft' } as const;
			await commit(store, paused.stored, [question, { type: 'paused' }]);
			const completed = await start();
			await complete(store, completed.stored);
			expect(await find({ status: 'running' })).toEqual([queued.id]);
			expect(await find({ status: 'pending_human_input' })).toEqual([paused.id, asked.id]);
			expect(await find({ status: 'completed' })).toEqual([completed.id]);
			expect(await find({ status: 'stopped' })).toEqual([]);
		});

		it('can be by time, and by owner', async () => {
			const users = await start({ owner: 'user' });
			const other = await start();
			const at = users.stored.execution.startedAt;
			expect(await find({ owner: 'user' })).toEqual([users.id]);
			expect(await find({ from: at, to: other.stored.execution.startedAt + 1 })).toEqual([
				other.id,
				users.id,
			]);
			expect(await find({ to: at })).toEqual([]);
			expect(await find({ from: other.stored.execution.startedAt + 1 })).toEqual([]);
		});

		it('can be by a text in the identifier, the inputs or the meta', async () => {
			const tea = await start({ inputs: { topic: 'Über "Tee"\n100% _', more: [1] } });
			const coffee = await start({ inputs: { topic: 'coffee' }, meta: { order: 'A-17' } });
			await complete(store, coffee.stored);
			expect(await find({ text: 'über "tee"\n100% _' })).toEqual([tea.id]);
			expect(await find({ text: 'a-17' })).toEqual([coffee.id]);
			expect(await find({ text: tea.id.slice(4, 20).toUpperCase() })).toEqual([tea.id]);
			expect(await find({ text: '%' })).toEqual([tea.id]);
			expect(await find({ text: 'a-18' })).toEqual([]);
			expect(await find({ text: 'A-17', status: 'running' })).toEqual([]);
		});

		it('looks at a limited number at a time, and continues from there', async () => {
			const { id } = await start({ inputs: { topic: 'needle' } });
			const others = Array.from({ length: 2_500 }, () => kickOff(store));
			await Promise.all(others);
			const first = await store.find({ limit: 10, text: 'needle' });
			expect(first.found).toEqual([]);
			const second = await store.find({ limit: 10, text: 'needle', before: first.next });
			expect(second.found.map(({ kickoffId }) => kickoffId)).toEqual([id]);
			expect(second.next).toBeUndefined();
		});
	});
}
