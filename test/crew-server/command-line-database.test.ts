import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { Client as PostgresClient } from 'pg';
import { startCrewServer } from '../../crew-server/src';
import { readCommandLine } from '../../crew-server/src/commandLine';

const start = (...args: string[]) => {
	const choice = readCommandLine(args);
	return 'start' in choice ? choice.start.database : undefined;
};
const withVariable = (url: string, then: () => void) => {
	process.env['CREW_SERVER_DATABASE'] = url;
	try {
		then();
	} finally {
		delete process.env['CREW_SERVER_DATABASE'];
	}
};

it('a database is named by an option, or by a variable with its password', () => {
	const url = 'postgres://crew@db:5432/crews';
	expect(start()).toBeUndefined();
	expect(start('--database', url)).toEqual({ url, deployment: 'research' });
	expect(start('--database', url, '--fleet-parallel', '9')).toMatchObject({ fleetParallel: 9 });
	expect(start('a/my-crew', '--database', url)).toEqual({ url, deployment: 'my-crew' });
	withVariable('postgresql://crew:secret@db/crews', () => {
		const given = start('--deployment', 'Other');
		expect(given).toEqual({ url: 'postgresql://crew:secret@db/crews', deployment: 'Other' });
		expect(start('--database', url)).toMatchObject({ url });
	});
});

it('a database may be at a socket, of which an address names the folder', () => {
	for (const socket of [
		'postgres://localhost/crews',
		'postgres:///crews',
		'postgres://me@/crews',
	]) {
		const { url = '' } = start('--database', `${socket}?host=/run/postgresql`) ?? {};
		const { host, database } = new PostgresClient(url);
		expect({ host, database }).toEqual({ host: '/run/postgresql', database: 'crews' });
	}
});

it('a database is refused if others would see its password, or if it is not a database', () => {
	const refused = (...args: string[]) => expect(() => start(...args));
	refused('--database', 'postgres://crew:secret@db/crews').toThrow(
		'Other users of this machine would see the password: give the whole address in CREW_SERVER_DATABASE',
	);
	refused('--database', 'postgres://crew@db/crews?password=secret').toThrow(
		'or only the password in PGPASSWORD',
	);
	refused('--database', 'postgres://crew:secret@/crews?host=/run/postgresql').toThrow(
		'Other users of this machine would see the password',
	);
	withVariable('postgres://crew:se/cret@db/crews', () => {
		refused().toThrow('In the password, write / as %2F');
	});
	refused('--database', 'mysql://db/crews').toThrow('an address such as postgres://');
	refused('--database', 'postgres://a b').toThrow('an address such as postgres://');
	refused('--database', 'postgres://a,b/crews').toThrow('with one host');
	refused('--database', 'postgres://a:1,b:2/crews').toThrow('with one host');
	refused('--deployment', 'x').toThrow('--deployment is for servers that share a database');
	refused('--fleet-parallel', '2').toThrow('give --database as well');
	refused('--database', 'postgres://db', '--fleet-parallel', '0').toThrow('a whole number above 0');
});

it('a start that fails leaves the folder of a server that has started at the same time', async () => {
	const parent = mkdtempSync(join(tmpdir(), 'crew-folder-'));
	const dataFolder = join(parent, 'data');
	const database = { url: 'postgres://127.0.0.1:1/crews', deployment: 'research' };
	const start = startCrewServer({ dataFolder, database });
	const failed = expect(start).rejects.toThrow('The database cannot be used');
	await othersTurn();
	mkdirSync(dataFolder);
	await failed;
	expect(existsSync(dataFolder)).toBe(true);
	rmSync(parent, { recursive: true });
});
