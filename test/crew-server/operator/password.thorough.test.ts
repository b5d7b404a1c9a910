import { readdirSync, readFileSync } from 'node:fs';

import { sharedPostgres, type SharedPostgres } from '../store/support/postgres';
import { TcpProxy } from '../store/support/tcpProxy';
import { until } from '../support/until';
import { FakeProject, folders, operate, Operated, TOKEN } from './support/operated';

/** The database's password does not appear anywhere. */

// So short that it might be part of other words, and with characters that have to be encoded in a URL.
const PASSWORD = 'Zx7/q&9!kT';
const OTHER_PASSWORD = 'Yw8/r&0!mU';

let postgres: SharedPostgres;
let proxy: TcpProxy;
let port: number;
beforeAll(async () => {
	postgres = await sharedPostgres();
	const [row] = await postgres.execute('SHOW hba_file');
	const { hba_file: file } = row as { hba_file: string };
	await postgres.execute(`CREATE ROLE crew LOGIN PASSWORD '${PASSWORD}'`);
	await postgres.execute('GRANT CREATE ON DATABASE postgres TO crew');
	await postgres.execute(
		`COPY (VALUES ('host all postgres all trust'), ('host all all all scram-sha-256')) TO '${file}'`,
	);
	await postgres.execute('SELECT pg_reload_conf()');
	proxy = new TcpProxy(Number(new URL(postgres.url).port));
	port = await proxy.listen();
});
afterAll(async () => {
	await proxy.close();
	await postgres.stop();
});

const urlWith = (password: string, at = port) =>
	`postgres://crew:${encodeURIComponent(password)}@127.0.0.1:${at}/postgres`;

/** The forms of the passwords in a text. */
const passwordIn = (text: string) =>
	[PASSWORD, OTHER_PASSWORD]
		.flatMap((one) => [one, encodeURIComponent(one), new URL(urlWith(one)).password])
		.filter((one) => text.includes(one));

/** What the system shows of processes: command lines to everybody, variables to the process itself. */
const ofProcesses = (file: 'cmdline' | 'environ', pids = readdirSync('/proc')) =>
	pids
		.filter((pid) => /^\d+$/.test(pid))
		.map((pid) => {
			try {
				return readFileSync(`/proc/${pid}/${file}`, 'utf8');
			} catch {
				// It has ended meanwhile.
				return '';
			}
		})
		.join('\n');

const PATHS = [
	...['/', '/inputs', '/health', '/ready', '/metrics', '/openapi.json', '/nowhere'],
	...['/page/crew', '/page/executions', '/page/requests', '/ID/status', '/status/ID', '/ID/events'],
	...['execution', 'log', 'events', 'callbacks'].map((one) => `/page/${one}?id=ID&kickoff_id=ID`),
];

/** The complete answers of all addresses. */
async function answersOf(url: string, kickoffId: string): Promise<string[]> {
	const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
	const answers = PATHS.map(async (path) => {
		const answer = await fetch(url + path.replaceAll('ID', kickoffId), { headers });
		return [path, answer.status, ...answer.headers, await answer.text()].join(' ');
	});
	const kickoff = async () => {
		const answer = await fetch(`${url}/kickoff`, {
			method: 'POST',
			headers,
			body: '{"inputs":{}}',
		});
		return [answer.status, ...answer.headers, await answer.text()].join(' ');
	};
	return await Promise.all([...answers, kickoff()]);
}

it('is in no log, no list of processes and no answer, whatever happens to the database', async () => {
	const project = new FakeProject();
	const { server, client, url } = await operate([...project.args, '--log-level', 'debug'], {
		CREW_SERVER_DATABASE: urlWith(PASSWORD),
	});
	const kickoffId = await client.kickoff({ inputs: {} });
	await client.untilStatus(kickoffId, 'completed');
	const told = await answersOf(url, kickoffId);
	expect(passwordIn(ofProcesses('cmdline'))).toEqual([]);
	// The project's code can read its process's variables.
	const hosts = project.starts.map(({ pid }) => String(pid));
	expect(ofProcesses('environ', hosts)).toContain('PATH=');
	expect(passwordIn(ofProcesses('environ', hosts))).toEqual([]);

	const isReady = async () => (await fetch(`${url}/ready`)).status === 200;
	proxy.cut();
	await until(async () => !(await isReady()));
	told.push(...(await answersOf(url, kickoffId)));
	await postgres.execute(`ALTER ROLE crew PASSWORD '${OTHER_PASSWORD}'`);
	proxy.open();
	const health = async () => await (await fetch(`${url}/health`)).text();
	await until(async () => (await health()).includes('password authentication failed'));
	told.push(...(await answersOf(url, kickoffId)));
	await postgres.execute(`ALTER ROLE crew PASSWORD '${PASSWORD}'`);
	await until(isReady);
	expect(told.filter((answer) => passwordIn(answer).length > 0)).toEqual([]);
	expect(told.filter((answer) => answer.startsWith('503 '))).toHaveLength(2);
	await server.end();
	expect(server.output).toContain('store_unavailable');
	expect(server.output).toContain('other machines will not have what tasks write (output_file)');
	expect(passwordIn(server.output)).toEqual([]);
});

it.each([
	['it is the wrong one', () => urlWith(OTHER_PASSWORD), 'password authentication failed'],
	['the database is away', () => urlWith(PASSWORD, 1), 'ECONNREFUSED'],
	['it is not encoded', () => `postgres://crew:${PASSWORD}@127.0.0.1/postgres`, 'write / as %2F'],
])('is not shown by a start that fails because %s', async (_, database, told) => {
	const args = ['--port', '0', '--log', 'json', '--log-level', 'debug', '--token', TOKEN];
	const server = new Operated(args, { CREW_SERVER_DATABASE: database() });
	expect(await server.ended).not.toBe(0);
	expect(server.output).toContain(told);
	expect(passwordIn(server.output)).toEqual([]);
});

it('is refused on the command line, with a message that says what to do instead', async () => {
	const server = new Operated(['--database', urlWith(PASSWORD)]);
	expect(await server.ended).toBe(2);
	expect(server.output).toContain('CREW_SERVER_DATABASE, or only the password in PGPASSWORD');
	expect(passwordIn(server.output)).toEqual([]);
});

it('does not warn about files if there is a shared folder', async () => {
	const shared = ['--storage', folders.make()];
	const { server } = await operate([...new FakeProject().args, ...shared], {
		CREW_SERVER_DATABASE: urlWith(PASSWORD),
	});
	await server.end();
	expect(server.output).not.toContain('output_file');
});
