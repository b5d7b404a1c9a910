import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { readCommandLine, USAGE } from '../../crew-server/src/commandLine';
import type { CrewServerOptions } from '../../crew-server/src';

/** The examples in `crew-server/deploy/`, as far as they can be tried without running them. */

const read = (name: string) =>
	readFileSync(join(__dirname, '..', '..', 'crew-server', 'deploy', name), 'utf8');

interface Service {
	command?: string[];
	environment?: Record<string, string>;
	volumes?: string[];
	stop_grace_period?: string;
	depends_on?: Record<string, object>;
	configs?: Array<{ source: string }>;
}
interface Compose {
	services: Record<string, Service>;
	configs: Record<string, { content: string }>;
	volumes: Record<string, unknown>;
}
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const [, entry = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
const entrypoint = JSON.parse(entry) as string[];
const servers = Object.entries(compose.services).filter(([name]) => name.startsWith('crew-'));

/** The options that the server reads from a command and its variables. */
function optionsOf([program, ...args]: string[], environment: Record<string, string>) {
	expect(program).toMatch(/(^|\/)crew-server$/);
	for (const arg of args.filter((one) => one.startsWith('-'))) {
		expect(USAGE).toMatch(new RegExp(`${arg}\\b`));
	}
	const names = ['CREW_SERVER_DATABASE', 'CREW_SERVER_TOKEN'];
	const before = names.map((name) => process.env[name]);
	const set = (values: Array<string | undefined>) => {
		for (const [index, name] of names.entries()) {
			if (values[index] === undefined) Reflect.deleteProperty(process.env, name);
			else process.env[name] = values[index];
		}
	};
	set(names.map((name) => environment[name]));
	try {
		const choice = readCommandLine(args);
		if (!('start' in choice)) throw new Error('it starts nothing');
		return choice.start;
	} finally {
		set(before);
	}
}

const MINUTE = 60_000;

function expectSharing({ database, project, drain, log, accessToken }: CrewServerOptions): void {
	expect(database?.deployment).toBe('my-crew');
	expect(project?.sharedStorage).toMatch(/^\//);
	expect(drain).toBe(10 * MINUTE);
	expect(log?.format).toBe('json');
	expect(accessToken).toBe('a-token');
}

it('two servers start with the options of the compose file, and share what it names', () => {
	expect(servers).toHaveLength(2);
	for (const [, { command = [], environment = {}, volumes = [], ...service }] of servers) {
		const variables = { ...environment, CREW_SERVER_TOKEN: 'a-token' };
		const options = optionsOf([...entrypoint, ...command], variables);
		expectSharing(options);
		expect(options.host).toBe('0.0.0.0');
		const { hostname, username, pathname } = new URL(options.database?.url ?? '');
		const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } =
			compose.services[hostname]?.environment ?? {};
		expect([username, pathname]).toEqual([POSTGRES_USER, `/${POSTGRES_DB ?? ''}`]);
		expect(environment['PGPASSWORD']).toBe(POSTGRES_PASSWORD);
		expect(volumes).toEqual([`storage:${options.project?.sharedStorage ?? ''}`]);
		expect(Object.keys(compose.volumes)).toContain('storage');
		expect(parseInt(service.stop_grace_period ?? '') * MINUTE).toBeGreaterThan(options.drain ?? 0);
	}
});

it('the proxy knows all servers, by the port at which they are, and asks whether they are ready', () => {
	const content = compose.configs['proxy']?.content ?? '';
	const { port } = optionsOf(entrypoint, {});
	expect(read('Dockerfile')).toContain(`EXPOSE ${port ?? 0}\n`);
	const upstreams = servers.map(([name]) => `${name}:${port ?? 0}`).join(' ');
	expect(content).toContain(`reverse_proxy ${upstreams} {`);
	expect(content).toContain('health_uri /ready');
});

it('systemd starts a server that has time to end its tasks', () => {
	const unit = read('crew-server.service');
	const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
	const [, minutes = ''] = /^TimeoutStopSec=(\d+)min$/m.exec(unit) ?? [];
	const options = optionsOf(command.split(' '), {
		CREW_SERVER_DATABASE: 'postgres://db/crews',
		CREW_SERVER_TOKEN: 'a-token',
	});
	expectSharing(options);
	expect(Number(minutes) * MINUTE).toBeGreaterThan(options.drain ?? 0);
	expect(unit).toMatch(/^KillMode=mixed$/m);
});
