import { setTimeout as sleep } from 'node:timers/promises';

import { startCrewServer } from '../../../crew-server/src';
import { deployApart } from '../../../test/crew-server/support/apart';
import { Client } from '../../../test/crew-server/support/client';
import { crewOf } from '../../../test/crew-server/support/crewOf';
import type { Side } from '../row';
import { quantile } from '../statistics';
import { database, serve, settings, type Served } from './database';

/** Milliseconds between two checks of an execution. */
const BETWEEN_LOOKS = 20;

interface Told {
	type: string;
	/** When it happened, and when it was read here, in milliseconds since 1970. */
	at: number;
	readAt: number;
}

/** All events of an execution, from its start to its end. */
async function readEvents({ server }: Served, kickoffId: string): Promise<Told[]> {
	const response = await fetch(`${server.url}/${kickoffId}/events`, {
		headers: { authorization: `Bearer ${server.accessToken}` },
	});
	const told: Told[] = [];
	const decoder = new TextDecoder();
	let rest = '';
	if (!response.body) throw new Error(`Its events are not to be had: ${response.status}`);
	for await (const chunk of response.body) {
		const messages = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
		rest = messages.pop() ?? '';
		for (const message of messages) {
			const data = /^data: (.*)$/m.exec(message)?.[1];
			if (data === undefined) continue;
			const { type, timestamp } = JSON.parse(data) as { type: string; timestamp: string };
			told.push({ type, at: Date.parse(timestamp), readAt: Date.now() });
		}
	}
	return told;
}

/** When an execution's first task, or the one with this number, began. */
function startOf(told: readonly Told[], task = 0): number {
	const start = told.filter(({ type }) => type === 'task_started')[task];
	if (!start) throw new Error(`No task ${task} has begun: ${told.map(({ type }) => type).join()}`);
	return start.at;
}

/** Milliseconds from the answer of a server that takes no more work to the start at another one. */
export function pickup(share: number): Side {
	return {
		name: 'another server',
		prepare: async (place) => {
			const { url } = await database(place);
			const asked = await serve(place, { database: settings(url) }, crewOf([0]));
			const working = await serve(place, { database: settings(url) }, crewOf([0]));
			await asked.server.drain(0);
			return async () => {
				const took: number[] = [];
				for (let index = 0; index < place.size; index++) {
					const id = await asked.client.kickoff();
					const answered = Date.now();
					took.push(startOf(await readEvents(working, id)) - answered);
				}
				return Math.max(quantile(took, share), 0);
			};
		},
	};
}

/** Milliseconds from an event to its reader at a server that does not run the execution, as the 99th percentile. */
export const events: Side = {
	name: 'another server',
	prepare: async (place) => {
		const { url } = await database(place);
		const working = await serve(place, { database: settings(url) }, crewOf([50, 50, 50]));
		const asked = await serve(place, { database: settings(url) }, crewOf([50, 50, 50]));
		await asked.server.drain(0);
		return async () => {
			const told = await Promise.all(
				Array.from({ length: place.size }, async () => {
					const id = await working.client.kickoff();
					const opened = Date.now();
					const all = await readEvents(asked, id);
					return all.filter(({ at }) => at > opened);
				}),
			);
			const took = told.flat().map(({ at, readAt }) => readAt - at);
			if (took.length < 3 * place.size) throw new Error(`Only ${took.length} events were read`);
			return quantile(took, 0.99);
		};
	},
};

/** Seconds from the kill of a server to the start of its execution's task at another one. */
export const takeover: Side = {
	name: 'another server',
	prepare: async (place) => {
		const { url } = await database(place);
		return async () => {
			const apart = await deployApart({ crew: crewOf([2_000, 0]), database: settings(url) });
			const id = await new Client(apart.crew).kickoff();
			const other = await serve(place, { database: settings(url) }, crewOf([2_000, 0]));
			await sleep(500);
			await apart.kill();
			const killed = Date.now();
			const told = await readEvents(other, id);
			const again = told.find(({ type, at }) => type === 'llm_call_started' && at > killed);
			if (!again) throw new Error('No other server has begun it again');
			return (again.at - killed) / 1_000;
		};
	},
};

/** Milliseconds from the end of a task at a server that drains to the start of the next one at another server. */
export const handover: Side = {
	name: 'another server',
	prepare: async (place) => {
		const { url } = await database(place);
		const other = await serve(place, { database: settings(url) }, crewOf([500, 0]));
		return async () => {
			const going = await startCrewServer({ crew: crewOf([500, 0]), database: settings(url) });
			const id = await new Client(going).kickoff();
			await going.drain(60_000);
			await going.close();
			const told = await readEvents(other, id);
			const end = told.find(({ type }) => type === 'task_completed');
			return startOf(told, 1) - (end?.at ?? NaN);
		};
	},
};

/** Executions per second of a number of servers, each in its own process, kicked off at all of them in turn. */
export function throughput(servers: number): Side {
	return {
		name: servers === 1 ? 'one server' : `${servers} servers`,
		prepare: async (place) => {
			const { url } = await database(place);
			const all = await Promise.all(
				Array.from({ length: servers }, () =>
					deployApart({ crew: crewOf([20, 20, 20]), database: settings(url) }),
				),
			);
			for (const apart of all) place.teardown.add(() => apart.kill());
			const clients = all.map(({ crew }) => new Client(crew));
			return async () => {
				const began = performance.now();
				const turns = Array.from({ length: place.size }, (_, index) => index);
				await Promise.all(
					Array.from({ length: 32 }, async () => {
						for (let index = turns.pop(); index !== undefined; index = turns.pop()) {
							await runOnce(clients[index % servers] as Client);
						}
					}),
				);
				return (place.size * 1_000) / (performance.now() - began);
			};
		},
	};
}

/** From the kickoff to the end, with few checks, so that the servers do the work rather than the client. */
async function runOnce(client: Client): Promise<void> {
	const id = await client.kickoff();
	for (;;) {
		await sleep(BETWEEN_LOOKS);
		const { body } = await client.get(`/${id}/status`);
		if (body['status'] === 'completed') return;
		if (body['status'] === 'error') throw new Error(JSON.stringify(body));
	}
}
