import { randomUUID } from 'node:crypto';

import type { Brief } from '../domain/brief';
import type { CrewDescription } from '../domain/crew';
import type { Change } from '../domain/draft';
import {
	findTask,
	openQuestion,
	repeatedAnswer,
	type Answer,
	type Execution,
	type Owner,
	type Told,
} from '../domain/execution';
import { kickoff as begin, type KickoffOrder } from '../domain/kickoff';
import type { Command } from '../domain/messages';
import { transition } from '../domain/transition';
import { logEvents, type Log } from '../log';
import type { KickoffKey, Store, Stored, StoredBrief } from '../store/store';

/** What clients' commands and queries need. */
export interface Services {
	readonly store: Store;
	readonly crew: CrewDescription;
	readonly log: Log;
}

/** An execution as a client names it. */
export interface Wanted {
	kickoffId: string;
	/** The owner of the token: a user's token reaches only what was started with it, and nothing else exists for it. */
	owner: Owner;
}

export type AnswerOutcome =
	| 'resumed'
	| 'retrying'
	| 'completed'
	| 'failed'
	| 'unknown_execution'
	| 'unknown_task'
	| 'not_waiting';

/** An execution that a client may know of. */
export async function lookUp(
	{ store }: Pick<Services, 'store'>,
	{ kickoffId, owner }: Wanted,
): Promise<Stored | undefined> {
	const stored = await store.get(idOf(kickoffId));
	return stored && isVisible(stored.execution, owner) ? stored : undefined;
}

/** The same without large fields. */
export async function lookUpBrief(
	{ store }: Pick<Services, 'store'>,
	{ kickoffId, owner }: Wanted,
): Promise<StoredBrief | undefined> {
	const stored = await store.getBrief(idOf(kickoffId));
	return stored && isVisible(stored.brief, owner) ? stored : undefined;
}

/** The same with all that a status tells of it. */
export async function lookUpTold(
	{ store }: Pick<Services, 'store'>,
	{ kickoffId, owner }: Wanted,
): Promise<Told | undefined> {
	const told = await store.getTold(idOf(kickoffId));
	return told && isVisible(told, owner) ? told : undefined;
}

/** An identifier in capitals is the same one: some languages write all UUIDs so. */
const idOf = (given: string) => given.toLowerCase();

const isVisible = (execution: Brief, owner: Owner) =>
	owner === 'organisation' || execution.owner === 'user';

/**
 * Starts an execution, which then waits for a worker.
 *
 * @param once the key by which a repeated request is recognized
 * @returns its identifier, or that of the one that was started before
 */
export async function kickoff(
	{ store, crew, log }: Services,
	order: Omit<KickoffOrder, 'kickoffId' | 'taskUuids'>,
	once?: KickoffKey,
): Promise<{ kickoffId: string; isNew: boolean } | 'other_body'> {
	const kickoffId = randomUUID();
	const taskUuids = crew.tasks.map(() => randomUUID());
	const change = begin(crew, { ...order, kickoffId, taskUuids }, Date.now());
	const earlier = await store.create(change, once);
	if (earlier) return earlier === 'other_body' ? earlier : { ...earlier, isNew: false };
	logEvents(log, change.events);
	return { kickoffId, isNew: true };
}

/** Takes a person's answer to the question about a task. */
export async function answer(
	services: Services,
	wanted: Wanted,
	given: Omit<Extract<Command, { type: 'answer' }>, 'type' | 'isFinal'>,
): Promise<AnswerOutcome> {
	const isFinal = services.crew.approvalsAreFinal ?? false;
	const now = Date.now();
	let { questionId } = given;
	let repeated: Answer | undefined;
	const { before, change } = await command(services, wanted, (execution) => {
		repeated = repeatedAnswer(execution, { ...given, questionId }, now);
		// Set on the first try: on a later one, another question may be open.
		questionId ??= openQuestion(execution, given.taskId)?.id;
		return repeated ? undefined : { ...given, type: 'answer', isFinal, questionId };
	});
	const task = before && findTask(before, given.taskId);
	if (!task) return before ? 'unknown_task' : 'unknown_execution';
	if (repeated) return outcomeOf(repeated, before.finishedAt === repeated.at ? before : undefined);
	if (!change) return 'not_waiting';
	const { log } = services;
	log.info(
		{ kickoff_id: before.kickoffId, task_id: task.taskId },
		given.isApprove ? 'approved' : 'rejected',
	);
	logEvents(log, change.events);
	return outcomeOf(given, change.execution);
}

/** @param after the execution, if the answer has ended it at once */
function outcomeOf({ isApprove }: Pick<Answer, 'isApprove'>, after?: Execution): AnswerOutcome {
	if (after?.state === 'completed' || after?.state === 'failed') return after.state;
	return isApprove ? 'resumed' : 'retrying';
}

/** Ends an execution. @returns it as it was, and whether it was still going on */
export async function stop(
	services: Services,
	wanted: Wanted,
): Promise<{ execution?: Execution; isStopped: boolean }> {
	const { before, change } = await command(services, wanted, () => ({ type: 'stop' }));
	if (change) logEvents(services.log, change.events);
	return { execution: before, isStopped: change !== undefined };
}

/** @returns the execution before the command, and the change, which the store has taken */
export async function command(
	services: Services,
	wanted: Wanted,
	given: (execution: Execution) => Command | undefined,
): Promise<{ before?: Execution; change?: Change }> {
	for (;;) {
		const stored = await lookUp(services, wanted);
		const order = stored && given(stored.execution);
		const change = order && transition(stored.execution, order, Date.now());
		if (!change) return { before: stored?.execution };
		const taken = await services.store.commit(stored, change);
		// If someone else was faster, look again: there may be nothing left to do.
		if (taken !== 'outdated') return { before: stored.execution, change };
	}
}
