import { randomUUID } from 'node:crypto';
import type { Change } from '../../../../crew-server/src/domain/draft';
import { kickoff, type KickoffOrder } from '../../../../crew-server/src/domain/kickoff';
import type { Command, Report } from '../../../../crew-server/src/domain/messages';
import { transition } from '../../../../crew-server/src/domain/transition';
import type { Lease, Store, Stored } from '../../../../crew-server/src/store/store';

const CREW = {
	name: 'writers',
	inputs: [],
	tasks: ['research', 'write'].map((name) => ({
		name,
		description: `${name} about {topic}`,
		expectedOutput: 'a text',
		agent: 'writer',
	})),
};

/** A kickoff that is not in a store yet. */
export function begun(order: Partial<KickoffOrder> = {}): Change {
	return kickoff(
		CREW,
		{
			kickoffId: randomUUID(),
			taskUuids: [randomUUID(), randomUUID()],
			owner: 'organisation',
			inputs: { topic: 'tea' },
			callbacks: {},
			...order,
		},
		Date.now(),
	);
}

/** The change that results from messages, one after the other. */
export function after(stored: Stored, ...messages: Array<Command | Report>): Change {
	let { execution } = stored;
	const events: Change['events'][number][] = [];
	const callbacks: Change['callbacks'][number][] = [];
	for (const message of messages) {
		const change = transition(execution, message, Date.now());
		if (!change) throw new Error(`${message.type} changes nothing`);
		({ execution } = change);
		events.push(...change.events);
		callbacks.push(...change.callbacks);
	}
	return { execution, events, callbacks };
}

/** Kicks off an execution. */
export async function kickOff(store: Store, order?: Partial<KickoffOrder>): Promise<Stored> {
	const change = begun(order);
	await store.create(change);
	return await stored(store, change.execution.kickoffId);
}

/** An execution, which has to be there. */
export async function stored(store: Store, kickoffId: string): Promise<Stored> {
	const found = await store.get(kickoffId);
	if (!found) throw new Error(`there is no ${kickoffId}`);
	return found;
}

/** Commits a change, which has to be accepted. */
export async function commit(
	store: Store,
	before: Stored,
	messages: ReadonlyArray<Command | Report>,
	lease?: Lease,
): Promise<Stored> {
	const next = await store.commit(before, after(before, ...messages), lease);
	if (typeof next === 'string') throw new Error(`the change is ${next}`);
	return next;
}

/** Completes an execution. */
export async function complete(store: Store, before: Stored, output = 'done'): Promise<Stored> {
	return await commit(store, before, [{ type: 'crew_done', result: { output } }]);
}
