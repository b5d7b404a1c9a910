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
	/** Does it, and puts right what a machine would not put right by itself. */
	do: (harmed: Harmed) => Promise<void>;
	/** Why it cannot be done here. */
	lacks?: (fleet: Fleet) => string | undefined;
	/** Whether each execution has to have a process of its own. */
	needsProcesses?: boolean;
	/** Whether servers end in order, so that no task is begun twice. */
	isOrderly?: boolean;
}

/** How many servers there are. */
export const SERVERS = 3;
/** Milliseconds for which the database or the network is away. */
const AWAY = 2_000;

const oneOf = ({ fleet, random }: Harmed): Server => random.pick(fleet.servers);

/** Where a proxy does something to the connections of a server, and undoes it after a while. */
const atProxy =
	(begin: (server: Server) => void, end: (server: Server) => void, milliseconds = AWAY) =>
	async (harmed: Harmed) => {
		const server = oneOf(harmed);
		begin(server);
		await sleep(milliseconds);
		end(server);
	};

/** The next commits of all servers meet a fault, one after the other. */
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
		what: '`kill -9` of a server, in whose place another one starts',
		do: async (harmed) => {
			await harmed.fleet.end(oneOf(harmed), 'SIGKILL');
			await sleep(500);
			await harmed.fleet.add();
		},
	},
	'server-stopped': {
		what: '`SIGSTOP` of a server beyond its lease, and `SIGCONT`',
		do: (harmed) => stop([oneOf(harmed).command.pid]),
	},
	'python-killed': {
		what: '`kill -9` of the Python host of a server',
		needsProcesses: true,
		do: (harmed) => {
			for (const pid of hostsOf(oneOf(harmed).command.pid)) process.kill(pid, 'SIGKILL');
			return Promise.resolve();
		},
	},
	'python-stopped': {
		what: '`SIGSTOP` of all Python processes of a server beyond its lease, and `SIGCONT`',
		needsProcesses: true,
		do: (harmed) => stop(pythonOf(oneOf(harmed))),
	},
	'both-stopped': {
		what: 'the same of a server and of its Python processes at once',
		needsProcesses: true,
		do: (harmed) => {
			const server = oneOf(harmed);
			return stop([server.command.pid, ...pythonOf(server)]);
		},
	},
	rolling: {
		what: 'each server is ended by SIGTERM, in turn, after another one has started',
		isOrderly: true,
		do: async ({ fleet }) => {
			for (const server of [...fleet.servers]) {
				await fleet.add();
				await fleet.end(server, 'SIGTERM');
			}
		},
	},
	joins: {
		what: 'a server joins, and ends in order again',
		isOrderly: true,
		do: async ({ fleet }) => {
			const server = await fleet.add();
			await sleep(1_500);
			await fleet.end(server, 'SIGTERM');
		},
	},
	'database-restarted': {
		what: 'PostgreSQL is restarted in order (fast), 2 s apart',
		do: ({ fleet }) => started(() => fleet.postgres.restart(AWAY)),
	},
	'database-crashed': {
		what: 'PostgreSQL ends as in a crash (immediate), twice',
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
		what: 'nothing passes between a server and PostgreSQL for 5 s, and nobody is told',
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
		what: 'nothing passes any more on the connections that a server has; new ones work',
		do: atProxy(
			({ proxy }) => {
				proxy.forget();
			},
			() => undefined,
		),
	},
	'notices-cut': {
		what: 'the connections on which servers wait for notices are cut, again and again',
		do: async ({ fleet }) => {
			for (let count = 0; count < 8; count++) {
				for (const { proxy } of fleet.servers) proxy.cutListeners();
				await sleep(300);
			}
		},
	},
	'commit-unanswered': {
		what: 'answers to COMMIT are lost, with their connections',
		do: atCommits('answer_lost'),
	},
	'commit-unsent': {
		what: 'COMMITs do not arrive, and their connections are lost',
		do: atCommits('not_sent'),
	},
	'connections-exhausted': {
		what: 'PostgreSQL takes no more connections, and ends those that there are',
		do: async ({ fleet }) => {
			const others = await exhaust(fleet);
			await sleep(AWAY);
			await Promise.all(others.map((client) => client.end().catch(() => undefined)));
		},
	},
	'backend-killed': {
		what: '`kill -9` of a process of PostgreSQL that serves a server: PostgreSQL ends all connections, and recovers',
		do: async ({ fleet }) => {
			const [pid] = await backends(fleet);
			if (pid !== undefined) process.kill(pid, 'SIGKILL');
		},
	},
	'connections-ended': {
		what: 'an administrator ends connections of servers, one after the other (`pg_terminate_backend`)',
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
		what: 'two servers join with clocks that are an hour ahead and behind, and jump back (libfaketime)',
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
		what: 'two servers of a new deployment make its tables while PostgreSQL crashes and a third one is killed',
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
		what: 'the disk of PostgreSQL is full for 4 s',
		lacks: ({ disk }) => (disk === undefined ? 'no disk could be mounted' : undefined),
		do: async ({ fleet }) => {
			if (fleet.disk === undefined) return;
			const ballast = join(fleet.disk, 'ballast');
			const { bavail, bsize } = statfsSync(fleet.disk);
			writeFileSync(ballast, Buffer.alloc(bavail * bsize));
			await sleep(4_000);
			rmSync(ballast);
			// It may have ended over that.
			const isUp = (await fleet.ask('SELECT 1')) !== undefined;
			if (!isUp) await started(() => fleet.postgres.crash());
		},
	},
};
