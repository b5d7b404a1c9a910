import type { ServerIdentity } from '../../../../crew-server/src/store/serverTable';
import { LEASE_TIME } from '../../../../crew-server/src/store/store';
import { commit, kickOff } from './orders';
import type { OpenTested, Tested } from './tested';

const HERE = { project: '1', machine: 'here' };
const THERE = { project: '1', machine: 'there' };
const SHARING = { project: '1' };

/** How every store handles executions that have written files, with servers on several machines. */
export function filesKeepTheContract(open: OpenTested): void {
	describe('an execution that has written files', () => {
		let tested: Tested;
		beforeEach(async () => {
			tested = await open();
		});
		afterEach(async () => {
			await tested.close();
		});

		/** A server runs an execution up to a point at which another server could continue. */
		async function workOnIt(server: ServerIdentity, hasFiles = true): Promise<void> {
			await tested.reopen(server);
			await tested.store.renew('first');
			await kickOff(tested.store);
			const [claimed] = await tested.store.claim('first', 1);
			const { lease } = claimed!;
			const reports = hasFiles ? [{ type: 'file_written' } as const] : [];
			await commit(tested.store, claimed!, [...reports, { type: 'requeued' }], lease);
		}

		async function claimedBy(server: ServerIdentity) {
			await tested.reopen(server);
			return await tested.store.claim('second', 1);
		}

		it('is for the servers of its machine as long as there are any', async () => {
			await workOnIt(HERE);
			expect(await claimedBy(THERE)).toEqual([]);
			expect(await claimedBy(SHARING)).toEqual([]);
			expect(await claimedBy(HERE)).toMatchObject([{ filesAreElsewhere: false }]);
		});

		it('is for any server once its machine is gone, and then for the servers of the new one', async () => {
			await workOnIt(HERE);
			await tested.pass(LEASE_TIME - 1);
			expect(await claimedBy(THERE)).toEqual([]);
			await tested.pass(1);
			const [claimed] = await claimedBy(THERE);
			expect(claimed).toMatchObject({ filesAreElsewhere: true });
			await tested.store.renew('second');
			await commit(tested.store, claimed!, [{ type: 'requeued' }], claimed!.lease);
			expect(await claimedBy(HERE)).toEqual([]);
			expect(await claimedBy(THERE)).toMatchObject([{ filesAreElsewhere: false }]);
		});

		it('is for any server if the one of its machine accepts no more', async () => {
			await workOnIt(HERE);
			await tested.store.renew('first', false);
			expect(await claimedBy(THERE)).toMatchObject([{ filesAreElsewhere: true }]);
		});

		it('is for servers with its version of the project if its machine has another one', async () => {
			await workOnIt(HERE);
			await tested.store.renew('first', false);
			await tested.reopen({ ...HERE, project: '2' });
			await tested.store.renew('newer');
			expect(await claimedBy(THERE)).toMatchObject([{ filesAreElsewhere: true }]);
		});

		it.each([
			['they share their files', SHARING, true],
			['it has none after all', HERE, false],
		])('is for any server if %s', async (_, server, hasFiles) => {
			await workOnIt(server, hasFiles);
			expect(await claimedBy(THERE)).toMatchObject([{ filesAreElsewhere: false }]);
		});
	});
}
