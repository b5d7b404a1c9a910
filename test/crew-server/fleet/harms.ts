import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { childrenOfHosts, hostsOf } from '../../crewai/support/processes';
import type { SeededRandom } from '../../support/seededRandom';
import type { Fleet, Server } from './fleet';
import { backends, clock, clockLibrary, exhaust, started, stop } from './means';

interface Harmed {
	fleet: Fleet;
	random: SeededRandom;
}

export interface Harm {
	what: string;
	/** Does the harm, and repairs what would not recover by itself. */
	do: (harmed: Harmed) => Promise<void>;
	/** Why it cannot be done here. */
	lacks?: (fleet: Fleet) => string | undefined;
	/** Whether it needs executions with their own processes. */
	needsProcesses?: boolean;
	/** Whether servers shut down cleanly, so that no task starts twice. */
	isOrderly?: boolean;
}

/** The number of servers. */
export const SERVERS = 3;
/** Milliseconds for which the database or the network is away. */
const AWAY = 2_000;

const oneOf = ({ fleet, random }: Harmed): Server => random.pick(fleet.servers);

/** Does something to a server's connections in its proxy, and undoes it after a while. */
const atProxy =
	(begin: (server: Server) => void, end: (server: Server) => void, milliseconds = AWAY) =>
	async (harmed: Harmed) => {
		const server = oneOf(harmed);
		begin(server);
		await sleep(milliseconds);
		end(server);
	};

/** Makes commits of random servers fail, one after the other. */
const atCommits = (fault: 'answer_lost' | 'not_sent') => async (harmed: Harmed) => {
	for (let count = 0; count < 6; count++) {
		oneOf(harmed).proxy.commitFault = fault;
		await sleep(harmed.random.integer(100, 600));
	}
	for (const { proxy } of harmed.fleet.servers) proxy.commitFault = undefined;
};

function pythonOf({ command: { pid } }: Server): number[] {
	return [...hostsOf(pid), ...childrenOfHosts(pid)];
}

export const HARMS: Readonly<Record<string, Harm>> = {
	nothing: { what: 'nothing', do: () => sleep(1_000), isOrderly: true },
	'server-killed': {
		what: '`kill -9` of a server; another one starts in its place',
		do: async (harmed) => {
			await harmed.fleet.end(oneOf(harmed), 'SIGKILL');
			await sleep(500);
			await harmed.fleet.add();
		},
	},
	'server-stopped': {
		what: '`SIGSTOP` of a server for longer than its lease, then `SIGCONT`',
		do: (harmed) => stop([oneOf(harmed).command.pid]),
	},
	'python-killed': {
		what: '`kill -9` of a server’s Python host',
		needsProcesses: true,
		do: (harmed) => {
			for (const pid of hostsOf(oneOf(harmed).command.pid)) process.kill(pid, 'SIGKILL');
			return Promise.resolve();
		},
	},
	'python-stopped': {
		what: '`SIGSTOP` of all Python processes of a server for longer than its lease, then `SIGCONT`',
		needsProcesses: true,
		do: (harmed) => stop(pythonOf(oneOf(harmed))),
	},
	'both-stopped': {
		what: 'the same for a server and its Python processes at once',
		needsProcesses: true,
		do: (harmed) => {
			const server = oneOf(harmed);
			return stop([server.command.pid, ...pythonOf(server)]);
		},
	},
	rolling: {
		what: 'each server in turn is shut down with SIGTERM after a new one has started',
		isOrderly: true,
		do: async ({ fleet }) => {
			for (const server of [...fleet.servers]) {
				await fleet.add();
				await fleet.end(server, 'SIGTERM');
			}
		},
	},
	joins: {
		what: 'a server joins, and shuts down cleanly again',
		isOrderly: true,
		do: async ({ fleet }) => {
			const server = await fleet.add();
			await sleep(1_500);
			await fleet.end(server, 'SIGTERM');
		},
	},
	'database-restarted': {
		what: 'PostgreSQL is shut down cleanly (fast), and starts again 2 s later',
		do: ({ fleet }) => started(() => fleet.postgres.restart(AWAY)),
	},
	'database-crashed': {
		what: 'PostgreSQL stops as in a crash (immediate) and restarts, twice',
		do: async ({ fleet }) => {
			await started(() => fleet.postgres.crash());
			await sleep(1_000);
			await started(() => fleet.postgres.crash());
		},
	},
	'network-cut': {
		what: 'a server’s connections to PostgreSQL are cut for 2 s',
		do: atProxy(
			({ proxy }) => {
				proxy.cut();
			},
			({ proxy }) => {
				proxy.open();
			},
		),
	},
	'network-stalled': {
		what: 'nothing passes between a server and PostgreSQL for 5 s, without an error on either side',
		do: atProxy(
			({ proxy }) => {
				proxy.stall();
			},
			({ proxy }) => {
				proxy.flow();
			},
			5_000,
		),
	},
	'network-forgotten': {
		what: 'nothing passes any more on a server’s existing connections; new ones work',
		do: atProxy(
			({ proxy }) => {
				proxy.forget();
			},
			() => undefined,
		),
	},
	'notices-cut': {
		what: 'the connections on which servers wait for notices are cut again and again',
		do: async ({ fleet }) => {
			for (let count = 0; count < 8; count++) {
				for (const { proxy } of fleet.servers) proxy.cutListeners();
				await sleep(300);
			}
		},
	},
	'commit-unanswered': {
		what: 'answers to COMMITs are lost, along with their connections',
		do: atCommits('answer_lost'),
	},
	'commit-unsent': {
		what: 'COMMITs do not arrive, and their connections are lost',
		do: atCommits('not_sent'),
	},
	'connections-exhausted': {
		what: 'PostgreSQL accepts no more connections, and ends the existing ones',
		do: async ({ fleet }) => {
			const others = await exhaust(fleet);
			await sleep(AWAY);
			await Promise.all(others.map((client) => client.end().catch(() => undefined)));
		},
	},
	'backend-killed': {
		what: '`kill -9` of a PostgreSQL process that serves a server: PostgreSQL ends all connections, and recovers',
		do: async ({ fleet }) => {
			const [pid] = await backends(fleet);
			if (pid !== undefined) process.kill(pid, 'SIGKILL');
		},
	},
	'connections-ended': {
		what: 'an administrator ends connections of servers one by one (`pg_terminate_backend`)',
		do: async ({ fleet, random }) => {
			for (let count = 0; count < 12; count++) {
				const all = await backends(fleet);
				if (all.length > 0) await fleet.ask('SELECT pg_terminate_backend($1)', [random.pick(all)]);
				await sleep(random.integer(50, 400));
			}
		},
	},
	'tables-locked': {
		what: 'somebody else locks the tables for 4 s',
		do: async ({ fleet }) => {
			await fleet.ask(
				'BEGIN; LOCK TABLE executions, events, callbacks; SELECT pg_sleep(4); COMMIT',
			);
		},
	},
	'clocks-apart': {
		what: 'two servers join with clocks an hour ahead and an hour behind, which are then corrected (libfaketime)',
		lacks: () => (clockLibrary() === undefined ? 'libfaketime is not installed' : undefined),
		do: async ({ fleet }) => {
			const files = ['ahead', 'behind'].map((name) => join(fleet.folder, `clock-${name}`));
			const [ahead = '', behind = ''] = files;
			writeFileSync(ahead, '+3600');
			writeFileSync(behind, '-3600');
			const servers = await Promise.all(files.map((file) => fleet.add(clock(file))));
			await sleep(2_500);
			for (const file of files) writeFileSync(file, '+0');
			await sleep(2_500);
			for (const server of servers) await fleet.end(server, 'SIGTERM');
		},
	},
	'first-start': {
		what: 'two servers of a new deployment create its tables while PostgreSQL crashes and a third one is killed',
		do: async ({ fleet, random }) => {
			const deployment = `first-${random.integer(0, 2 ** 30)}`;
			const { command } = await fleet.launch({}, deployment);
			const starting = Promise.all([1, 2].map(() => fleet.start({}, deployment)));
			await sleep(random.integer(300, 1_500));
			command.kill('SIGKILL');
			await started(() => fleet.postgres.crash());
			for (const server of await starting) await fleet.end(server, 'SIGTERM');
		},
	},
	'disk-full': {
		what: 'PostgreSQL’s disk is full for 4 s',
		lacks: ({ disk }) => (disk === undefined ? 'no disk could be mounted' : undefined),
		do: async ({ fleet }) => {
			if (fleet.disk === undefined) return;
			const ballast = join(fleet.disk, 'ballast');
			const { bavail, bsize } = statfsSync(fleet.disk);
			writeFileSync(ballast, Buffer.alloc(bavail * bsize));
			await sleep(4_000);
			rmSync(ballast);
			// The full disk may have made PostgreSQL stop.
			const isUp = (await fleet.ask('SELECT 1')) !== undefined;
			if (!isUp) await started(() => fleet.postgres.crash());
		},
	},
};
