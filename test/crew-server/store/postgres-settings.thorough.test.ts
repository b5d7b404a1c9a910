import { addressOf } from '../../../crew-server/src/store/postgres/openPostgres';
import { sharedTokens } from '../../../crew-server/src/store/postgres/sharedTokens';
import { until } from '../support/until';
import { complete, kickOff } from './support/orders';
import { ownDeployment } from './support/ownDeployment';

/** Databases, users and addresses with other settings than the defaults. */

const own = ownDeployment();
afterEach(() => own.postgres.execute('ALTER ROLE postgres RESET ALL'));

it.each([
	[`default_transaction_isolation TO 'serializable'`],
	[`default_transaction_isolation TO 'repeatable read'`],
	[`lock_timeout TO '1ms'`],
	[`statement_timeout TO '50ms'`],
	[`standard_conforming_strings TO off`],
	[`search_path TO 'nowhere'`],
])('three servers share the work as a user with %s', async (setting) => {
	await own.postgres.execute(`ALTER ROLE postgres SET ${setting}`);
	const open = () => own.open({ fleetParallel: 20 });
	const stores = await Promise.all([open(), open(), open()]);
	await Promise.all(stores.flatMap((store) => Array.from({ length: 10 }, () => kickOff(store))));
	const claims = await Promise.all(
		[...stores, ...stores, ...stores].map((store, index) => store.claim(`worker${index}`, 4)),
	);
	expect(claims.flat()).toHaveLength(20);
	await Promise.all(claims.flat().map((claimed, index) => complete(stores[index % 3]!, claimed)));
	expect(await stores[0].count('completed')).toBe(20);
});

it('a server keeps its connections even if the database ends idle ones by default', async () => {
	await own.postgres.execute(`CREATE ROLE idle SUPERUSER LOGIN`);
	await own.postgres.execute(`ALTER ROLE idle SET idle_session_timeout TO '200ms'`);
	await own.open({ url: own.postgres.url.replace('postgres@', 'idle@') });
	await until(async () => {
		const idle = await own.postgres.execute(
			`SELECT 1 FROM pg_stat_activity WHERE usename = 'idle' AND now() - state_change > '1 s'`,
		);
		return idle.length > 0;
	});
});

it('a user who cannot create a schema can be given one', async () => {
	await own.postgres.execute(`CREATE ROLE crew LOGIN`);
	const url = own.postgres.url.replace('postgres@', 'crew@');
	await expect(own.open({ url })).rejects.toThrow(
		`PostgreSQL says "permission denied for database postgres": give its user the schema ${own.schema}.`,
	);
	await own.postgres.execute(`CREATE SCHEMA ${own.schema} AUTHORIZATION crew`);
	const store = await own.open({ url });
	await complete(store, await kickOff(store));
});

it('a server that is started with tokens that cannot be used leaves the others theirs', async () => {
	await own.open();
	const start = (given = {}) => sharedTokens(given, addressOf(own.database));
	const tokens = await start();
	const { userAccessToken } = tokens;
	await expect(start({ accessToken: userAccessToken })).rejects.toThrow('tokens are the same');
	const short = { accessToken: 'a-new-access-token', userAccessToken: 'short' };
	await expect(start(short)).rejects.toThrow('at least 8 characters');
	expect(await start()).toEqual(tokens);
});

it('a self-signed certificate is trusted if its file is named', async () => {
	const { postgres } = own;
	// PostgreSQL makes the files in its own folder, with the names that it expects.
	await postgres.execute(
		`COPY (SELECT) TO PROGRAM 'openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost
			-addext subjectAltName=IP:127.0.0.1 -keyout server.key -out server.crt'`.replaceAll(/\s+/g, ' '),
	);
	await postgres.execute('ALTER SYSTEM SET ssl TO on');
	await postgres.execute('SELECT pg_reload_conf()');
	const url = `${postgres.url}?sslmode=verify-full`;
	const advice = 'self-signed certificate: name a file of certificates to trust with ?sslrootcert=';
	await until(() =>
		own.open({ url }).then(
			() => false,
			(error: unknown) => (error as Error).message.includes(advice),
		),
	);
	const [row] = await postgres.execute('SHOW data_directory');
	const { data_directory: folder } = row as { data_directory: string };
	const store = await own.open({ url: `${url}&sslrootcert=${folder}/server.crt` });
	await complete(store, await kickOff(store));
	const connections = await postgres.execute(
		`SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
		WHERE application_name = 'crew-server'`,
	);
	expect(connections).toEqual([{ ssl: true }]);
});
