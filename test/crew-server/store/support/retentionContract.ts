import type { StoreSettings } from '../../../../crew-server/src/store/openStore';
import type { Store, Stored } from '../../../../crew-server/src/store/store';
import { after, complete, kickOff } from './orders';
import type { OpenTested, Tested } from './tested';

/** Which ended executions every store keeps. */
export function retentionKeepsTheContract(open: OpenTested): void {
	describe('an ended execution', () => {
		let tested: Tested;
		let store: Store;
		afterEach(async () => {
			await tested.close();
		});

		async function keepOnly(retention: StoreSettings['retention']): Promise<void> {
			tested = await open({ retention });
			({ store } = tested);
		}

		/** Resolves with the identifiers of the executions that are left, once this many are. */
		async function untilThereAre(count: number): Promise<string[]> {
			for (;;) {
				const listed = await store.list(1_000);
				if (listed.length === count) return listed.map(({ kickoffId }) => kickoffId);
				await new Promise(setImmediate);
			}
		}

		it('is removed if there are too many, the first to end first', async () => {
			await keepOnly({ executions: 2 });
			const going = await kickOff(store);
			const ended = [];
			for (let index = 0; index < 4; index++)
				ended.push(await complete(store, await kickOff(store)));
			const left = await untilThereAre(3);
			expect(left).toEqual([ended[3], ended[2], going].map((one) => one?.execution.kickoffId));
		});

		it('is removed in the order of the ends, even if the clock was set meanwhile', async () => {
			await keepOnly({ executions: 2 });
			const ids = [];
			for (const finishedAt of [5_000, 9_000, 1_000, 2_000]) {
				const first = await kickOff(store);
				const change = after(first, { type: 'crew_done', result: { output: 'done' } });
				await store.commit(first, { ...change, execution: { ...change.execution, finishedAt } });
				ids.push(first.execution.kickoffId);
			}
			expect(await untilThereAre(2)).toEqual([ids[3], ids[2]]);
		});

		it('is removed if all are too large together, except for the newest', async () => {
			await keepOnly({ characters: 1_000_000 });
			const ids = [];
			for (let index = 0; index < 3; index++) {
				const first = await kickOff(store, { inputs: { text: 'x'.repeat(300_000) } });
				ids.push((await complete(store, first)).execution.kickoffId);
			}
			expect(await untilThereAre(2)).toEqual([ids[2], ids[1]]);
			const large = await kickOff(store, { inputs: { text: 'x'.repeat(2_000_000) } });
			await complete(store, large);
			expect(await untilThereAre(1)).toEqual([large.execution.kickoffId]);
		});

		it('is removed once it is too old by the store’s clock', async () => {
			await keepOnly({ age: 1e12 });
			const [first, second] = [await kickOff(store), await kickOff(store)];
			const end = async (one: Stored, finishedAt: number) => {
				const change = after(one, { type: 'crew_done' });
				await store.commit(one, { ...change, execution: { ...change.execution, finishedAt } });
			};
			await end(first, 1e12);
			await tested.pass(5e11);
			await end(second, 2e12);
			expect(await untilThereAre(1)).toEqual([second.execution.kickoffId]);
		});

		it('stays until its callbacks are settled', async () => {
			await keepOnly({ executions: 1 });
			const callbacks = { crewWebhookUrl: 'http://127.0.0.1:1/' };
			const first = await complete(store, await kickOff(store, { callbacks }));
			const second = await complete(store, await kickOff(store));
			const third = await complete(store, await kickOff(store));
			expect(await untilThereAre(2)).not.toContain(second.execution.kickoffId);
			const [callback] = await store.claimCallbacks(1, []);
			await store.settle(callback!, { at: 1, status: 200 }, { fate: 'delivered' });
			expect(await untilThereAre(1)).toEqual([third.execution.kickoffId]);
			expect(await store.get(first.execution.kickoffId)).toBeUndefined();
		});
	});
}
