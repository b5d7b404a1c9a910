import { openStore, type StoreSettings } from '../../../../crew-server/src/store/openStore';
import {
	addressOf,
	type DatabaseSettings,
} from '../../../../crew-server/src/store/postgres/openPostgres';
import type { Store } from '../../../../crew-server/src/store/store';
import { sharedPostgres, type SharedPostgres } from './postgres';

/** A test's own deployment on PostgreSQL. */
export interface OwnDeployment {
	/** Shared by all tests of the file. */
	readonly postgres: SharedPostgres;
	readonly database: DatabaseSettings;
	/** The schema of the deployment. */
	readonly schema: string;
	/** Opens the store of the deployment, until the end of the test. @param more other settings of its database */
	open(more?: Partial<DatabaseSettings>, settings?: StoreSettings): Promise<Store>;
}

/** A deployment for each test of a file, in one PostgreSQL. Call it at the top of the file. */
export function ownDeployment(): OwnDeployment {
	let postgres: SharedPostgres;
	let database: DatabaseSettings;
	let deployments = 0;
	const opened: Store[] = [];
	beforeAll(async () => {
		postgres = await sharedPostgres();
	});
	afterAll(() => postgres.stop());
	beforeEach(() => {
		deployments += 1;
		database = { url: postgres.url, deployment: `Test ${deployments}` };
	});
	afterEach(async () => {
		await Promise.all(opened.splice(0).map((store) => store.close()));
	});
	return {
		get postgres() {
			return postgres;
		},
		get database() {
			return database;
		},
		get schema() {
			return addressOf(database).schema;
		},
		open: async (more, settings) => {
			const store = await openStore({ ...settings, database: { ...database, ...more } });
			opened.push(store);
			return store;
		},
	};
}
