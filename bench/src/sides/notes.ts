import { openStore, type StoreSettings } from '../../../crew-server/src/store/openStore';
import { commit, kickOff } from '../../../test/crew-server/store/support/orders';
import type { Place, Side } from '../row';
import { median } from '../statistics';
import { database, settings } from './database';
import { temporaryFolder } from './folder';

/** How many notes each execution writes. */
const NOTES = 100;

/** The median milliseconds until a note of an execution is stored, while all executions write theirs. */
export const note: Side = {
	name: 'PostgreSQL',
	prepare: async (place) => {
		const { url } = await database(place);
		return async () => median((await write(place, { database: settings(url) })).took);
	},
};

/** Notes per second of all executions together. */
export const notes: Side = {
	name: 'PostgreSQL',
	prepare: async (place) => {
		const { url } = await database(place);
		return async () => (await write(place, { database: settings(url) })).rate;
	},
};

/** The same with SQLite. */
export const notesInFolder: Side = {
	name: 'SQLite',
	prepare: async (place) => {
		const folder = await temporaryFolder(place);
		return async () => (await write(place, { folder })).rate;
	},
};

async function write({ size }: Place, storeSettings: StoreSettings) {
	const store = await openStore(storeSettings);
	try {
		const took: number[] = [];
		const text = 'x'.repeat(2_000);
		const executions = await Promise.all(Array.from({ length: size }, () => kickOff(store)));
		const began = performance.now();
		await Promise.all(
			executions.map(async (execution) => {
				let before = execution;
				for (let index = 0; index < NOTES; index++) {
					const start = performance.now();
					before = await commit(store, before, [{ type: 'event', name: 'note', data: { text } }]);
					took.push(performance.now() - start);
				}
			}),
		);
		return { took, rate: (size * NOTES * 1_000) / (performance.now() - began) };
	} finally {
		await store.close();
	}
}
