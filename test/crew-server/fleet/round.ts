import { setTimeout as sleep } from 'node:timers/promises';

import { startReceiver } from '../support/receiver';
import { faultsIn, type Fault, type Promised } from './checker';
import type { Fleet } from './fleet';
import { HARMS, SERVERS, type Harm } from './harms';
import type { History } from './history';
import { Load, type LoadSettings } from './load';
import type { Round } from './plan';

/** The least number of executions in a round. */
const LEAST = 12;
/** The most milliseconds between the harms of a round. */
const APART = 1_500;

export interface RoundSettings extends Omit<LoadSettings, 'receivers' | 'callbacks'> {
	promised: Omit<Promised, 'isOrderly'>;
}

export interface Outcome extends Round {
	/** Why the round was left out. */
	lacks?: string;
	faults: Fault[];
	/** The numbers of executions and effects. */
	executions: number;
	effects: number;
	seconds: number;
}

/** Puts a load on the fleet, does some harms at once, and returns the checker's result. */
export async function playRound(
	round: Round,
	settings: RoundSettings,
	harms = round.names.map((name) => HARMS[name] as Harm),
): Promise<Outcome> {
	const begun = performance.now();
	const { fleet, history, random, promised } = settings;
	const [lacks] = harms.flatMap((harm) => harm.lacks?.(fleet) ?? []);
	if (lacks !== undefined) {
		return { ...round, lacks, faults: [], executions: 0, effects: 0, seconds: 0 };
	}
	history.clear();
	await fleet.fill(SERVERS);
	const newest = await newestKey(fleet);
	const over = new AbortController();
	const watching = watch(fleet, history, over.signal);
	const receivers = [await receiver('tasks'), await receiver('end')] as const;
	const load = new Load({ ...settings, receivers, callbacks: promised.callbacks });
	const harmed = new AbortController();
	const arriving = load.arrive(LEAST, harmed.signal);
	await sleep(1_000);
	await Promise.all(
		harms.map(async (harm, index) => {
			if (index > 0) await sleep(random.integer(0, APART));
			await harm.do({ fleet, random });
		}),
	);
	harmed.abort();
	await arriving;
	await fleet.fill(SERVERS);
	await load.settle();
	over.abort();
	await watching;
	const ids = await fleet.ask<{ id: string }>(
		'SELECT kickoff_id AS id FROM executions WHERE key > $1',
		[newest],
	);
	history.add({ what: 'kept', ids: (ids ?? []).map(({ id }) => id) });
	await Promise.all(receivers.map((one) => one.close()));
	const entries = history.entries();
	const isOrderly = harms.every((harm) => harm.isOrderly ?? false);
	return {
		...round,
		faults: faultsIn(entries, { ...promised, isOrderly }),
		executions: ids?.length ?? 0,
		effects: entries.length,
		seconds: (performance.now() - begun) / 1_000,
	};

	async function receiver(name: string) {
		return await startReceiver((_index, { headers }) => {
			const callback = String(headers['webhook-id']);
			// Execution identifiers are UUIDs.
			history.add({ what: 'callback', id: callback.slice(0, 36), callback, receiver: name });
			return 200;
		});
	}
}

async function newestKey(fleet: Fleet): Promise<number> {
	const rows = await fleet.ask<{ key: string }>(
		'SELECT COALESCE(MAX(key), 0) AS key FROM executions',
	);
	return Number(rows?.[0]?.key ?? 0);
}

/** Records how many executions are running whenever the database answers. */
async function watch(fleet: Fleet, history: History, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		const rows = await fleet.ask<{ all: number; most: number }>(
			`SELECT COALESCE(SUM(count), 0)::INTEGER AS all, COALESCE(MAX(count), 0)::INTEGER AS most
			FROM (SELECT COUNT(*) AS count FROM executions WHERE state = 'running' GROUP BY worker) counts`,
		);
		if (rows?.[0]) history.add({ what: 'running', ...rows[0] });
		await sleep(50);
	}
}
