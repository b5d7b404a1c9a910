import { join } from 'node:path';
import {
	installCrewServer,
	type InstalledCrewServer,
} from '../../../sandbox/src/installed-crew-server';
import type { Place, Side } from '../row';
import { sizeOf } from './package';

/** Kilobytes of all files in the package. */
export const packageSize: Side = {
	name: 'crew-server',
	prepare: async (place) => {
		const { folder } = await install(place);
		return async () => (await sizeOf(join(folder, 'node_modules', 'crew-server'))) / 1_000;
	},
};

/** How many other packages npm installs with it. */
export const dependencies: Side = {
	name: 'crew-server',
	prepare: async (place) => {
		const { dependencies: count } = await install(place);
		return () => Promise.resolve(count);
	},
};

async function install({ teardown }: Place): Promise<InstalledCrewServer> {
	const installed = await installCrewServer();
	teardown.add(() => {
		installed.remove();
		return Promise.resolve();
	});
	return installed;
}
