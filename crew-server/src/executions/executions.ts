import { randomUUID } from 'node:crypto';

import * as announce from '../callbacks/announcements';
import type { CallbackTargets } from '../callbacks/targets';
import type { CrewDescription } from '../crew/description';
import { fillTemplate } from '../crew/template';
import type { Fault } from '../faults/fault';
import type { Foundation } from './foundation';
import {
	cutOff,
	forgetWork,
	hasEnded,
	isOpen,
	isWorkedOn,
	putBack,
	taskUuid,
	type ExecutionRecord,
	type Owner,
	type StreamEvent,
} from './record';
import { endedOf, Retention, type Ended } from './retention';
import { ExecutionRun } from './run';

export interface KickoffOrder {
	owner: Owner;
	inputs: Record<string, unknown>;
	restoredFrom?: string;
	meta?: Record<string, unknown>;
	callbacks: CallbackTargets;
	/** For this execution alone. */
	faults: Fault[];
}

export interface ResumeOrder {
	taskId: string;
	humanFeedback: string;
	isApprove: boolean;
	/** They take the place of those that kickoff gave: what is not here is no longer called. */
	callbacks: CallbackTargets;
	/** Beside those that the execution has already. */
	faults: Fault[];
	/** What it is called from then on, unless it stays as it is. */
	newId?: string;
}

export type ResumeOutcome = 'resumed' | 'retrying' | 'completed' | 'unknown_task' | 'not_waiting';

/** All executions of one crew: starts them, works on their tasks, and ends them. */
export class Executions {
	/** How many have been kicked off since the process began. */
	started = 0;
	private readonly records = new Map<string, ExecutionRecord>();
	private readonly runs = new Map<string, ExecutionRun>();
	private readonly retention: Retention;

	constructor(private readonly foundation: Foundation) {
		this.retention = new Retention(foundation.retention);
	}

	/** Starts an execution; the work goes on after the return. */
	async kickoff(order: KickoffOrder): Promise<ExecutionRecord> {
		const { engine, ledger } = this.foundation;
		const execution = newExecution(engine.crew, order);
		this.records.set(execution.kickoffId, execution);
		this.started += 1;
		const begun = announce.streamEvent(execution, 'crew_kickoff_started', {
			crew_name: engine.crew.name,
			inputs: order.inputs,
		});
		const noted = ledger.note(execution, announce.event(execution, begun), [begun]);
		this.run(execution, 'begin');
		try {
			await noted;
		} catch (error) {
			// Its client is told that this went wrong, and would not get to know of it.
			await this.stop(execution).catch(() => undefined);
			throw error;
		}
		return execution;
	}

	/** An execution, also one that only the journal still has. */
	async find(kickoffId: string): Promise<ExecutionRecord | undefined> {
		return this.records.get(kickoffId) ?? (await this.foundation.journal.read(kickoffId));
	}

	/**
	 * The events of an execution as they happen, up to its end or to another identifier; a question to a person is none.
	 *
	 * @param after the identifier of the event that was the last one; unless it is known, from the first
	 * @param signal ends it before
	 */
	async *events(
		execution: ExecutionRecord,
		after: string | undefined,
		signal: AbortSignal,
	): AsyncGenerator<StreamEvent> {
		const { journal, ledger } = this.foundation;
		const { kickoffId } = execution;
		let next = await this.positionAfter(kickoffId, after);
		let wake: () => void = () => undefined;
		const leave = ledger.follow(execution, () => {
			wake();
		});
		signal.addEventListener('abort', () => {
			wake();
		});
		try {
			while (!signal.aborted) {
				const woken = new Promise<void>((resolve) => (wake = resolve));
				const isLast = hasEnded(execution) || execution.kickoffId !== kickoffId;
				// Its last events are on their way to the journal, or lost where that cannot write.
				if (isLast) await journal.flushed();
				for await (const { number, event } of journal.events(kickoffId, next)) {
					next = number + 1;
					yield event;
				}
				if (isLast) return;
				await woken;
			}
		} finally {
			leave();
		}
	}

	private async positionAfter(kickoffId: string, eventId?: string): Promise<number> {
		if (eventId === undefined) return 0;
		for await (const { number, event } of this.foundation.journal.events(kickoffId, 0)) {
			if (event.id === eventId) return number + 1;
		}
		return 0;
	}

	/** Copies of all executions at hand, in the order of their kickoff. */
	all(): readonly ExecutionRecord[] {
		return [...this.records.values()].map((execution) => ({
			...execution,
			tasks: execution.tasks.map((task) => ({ ...task })),
			feedback: [...execution.feedback],
		}));
	}

	/** Takes a person's feedback on the task that waits for it, and goes on. */
	async resume(execution: ExecutionRecord, order: ResumeOrder): Promise<ResumeOutcome> {
		const task = execution.tasks.find((one) =>
			[one.taskId, taskUuid(execution, one)].includes(order.taskId),
		);
		if (!task) return 'unknown_task';
		if (execution.state !== 'pending_human_input' || !isOpen(task)) return 'not_waiting';
		execution.callbacks = order.callbacks;
		execution.faults.push(...order.faults);
		execution.feedback.push({
			taskId: task.taskId,
			text: order.humanFeedback,
			isApprove: order.isApprove,
			output: task.output ?? '',
		});
		task.isAnswered = true;
		this.foundation.log.info(
			{ kickoff_id: execution.kickoffId, task_id: task.taskId },
			order.isApprove ? 'approved' : 'rejected',
		);
		if (order.newId !== undefined) this.rename(execution, order.newId);
		if (!order.isApprove) task.state = 'waiting';
		if (execution.tasks.some(isOpen)) execution.worksOn = true;
		else goOn(execution);
		const noted = this.foundation.ledger.note(execution);
		const isTaken = this.runs.get(execution.kickoffId)?.answer(task.taskId) ?? false;
		const isCompleted = !isTaken && this.run(execution, 'answer');
		await noted;
		if (isCompleted) return 'completed';
		return order.isApprove ? 'resumed' : 'retrying';
	}

	/** Has an execution go on under another identifier; nobody knows the one that it had any more. */
	private rename(execution: ExecutionRecord, newId: string): void {
		const { kickoffId } = execution;
		const run = this.runs.get(kickoffId);
		execution.begunAs ??= kickoffId;
		execution.kickoffId = newId;
		execution.events = 0;
		this.records.delete(kickoffId);
		this.runs.delete(kickoffId);
		this.records.set(newId, execution);
		if (run) this.runs.set(newId, run);
		this.foundation.journal.forget(kickoffId);
	}

	/** @returns whether it was still going on */
	async stop(execution: ExecutionRecord): Promise<boolean> {
		if (hasEnded(execution)) return false;
		this.foundation.log.info({ kickoff_id: execution.kickoffId }, 'stopped');
		execution.state = 'stopped';
		execution.finishedAt = Date.now();
		this.runs.get(execution.kickoffId)?.end();
		forgetWork(execution);
		const noted = this.foundation.ledger.note(execution);
		this.retire(endedOf(execution));
		await noted;
		return true;
	}

	/** Takes over what an earlier process has left; of the ended executions, no more than may be at hand. */
	async load(): Promise<void> {
		const { journal } = this.foundation;
		const left: ExecutionRecord[] = [];
		const ended: Array<Ended & { startedAt: number }> = [];
		for await (const execution of journal.executions()) {
			const { startedAt } = execution;
			if (hasEnded(execution)) ended.push({ ...endedOf(execution), startedAt });
			else left.push(execution);
		}
		const atHand = new Set<string>();
		for (const one of ended.sort(byStart)) {
			atHand.add(one.kickoffId);
			for (const kickoffId of this.retire(one)) atHand.delete(kickoffId);
		}
		for (const kickoffId of atHand) {
			const execution = await journal.read(kickoffId);
			if (execution) left.push(execution);
		}
		for (const execution of left.sort(byStart)) this.records.set(execution.kickoffId, execution);
	}

	/** Goes on with the executions that an earlier process was working on. */
	takeUp(): void {
		for (const execution of this.records.values()) {
			if (!isWorkedOn(execution) || this.runs.has(execution.kickoffId)) continue;
			this.foundation.log.info({ kickoff_id: execution.kickoffId }, 'taken_up_again');
			if (execution.waitsInLine) delete execution.waitsInLine;
			else cutOff(execution);
			this.run(execution, 'begin');
		}
	}

	/** Ends all work where it stands; another process may take it up. */
	async close(): Promise<void> {
		const runs = [...this.runs];
		for (const [, run] of runs) run.end();
		await Promise.all(runs.map(([, { finished }]) => finished));
		const left = runs.flatMap(([kickoffId]) => this.records.get(kickoffId) ?? []);
		const running = left.filter(isWorkedOn);
		for (const execution of running) putBack(execution);
		await Promise.allSettled(running.map((execution) => this.foundation.ledger.note(execution)));
	}

	/** @returns whether that has completed the execution already */
	private run(execution: ExecutionRecord, how: 'begin' | 'answer'): boolean {
		const run = new ExecutionRun(this.foundation, execution);
		this.runs.set(execution.kickoffId, run);
		run.start(how);
		void run.finished.then(() => {
			if (this.runs.get(execution.kickoffId) === run) this.runs.delete(execution.kickoffId);
			if (hasEnded(execution) && execution.state !== 'stopped') this.retire(endedOf(execution));
		});
		return hasEnded(execution);
	}

	/** @returns the identifiers of those that are no longer at hand */
	private retire(ended: Ended): string[] {
		const { fromHand, fromJournal } = this.retention.add(ended);
		for (const kickoffId of fromHand) {
			this.records.delete(kickoffId);
			this.foundation.journal.release(kickoffId);
		}
		for (const kickoffId of fromJournal) this.foundation.journal.forget(kickoffId);
		return fromHand;
	}
}

function byStart(one: { startedAt: number }, other: { startedAt: number }): number {
	return one.startedAt - other.startedAt;
}

/** Notes that no question is open any more. */
function goOn(execution: ExecutionRecord): void {
	execution.state = 'running';
	delete execution.worksOn;
}

function newExecution(crew: CrewDescription, order: KickoffOrder): ExecutionRecord {
	return {
		kickoffId: randomUUID(),
		...order,
		state: 'running',
		tasks: crew.tasks.map((task) => ({
			taskId: task.name,
			description: fillTemplate(task.description, order.inputs),
			expectedOutput: fillTemplate(task.expectedOutput, order.inputs),
			agent: fillTemplate(task.agent, order.inputs),
			state: 'waiting',
			attempts: 0,
		})),
		feedback: [],
		tokenUsage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
		heldEvents: [],
		events: 0,
		startedAt: Date.now(),
	};
}
