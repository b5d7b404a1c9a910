import { randomUUID } from 'node:crypto';

import * as announce from '../callbacks/announcements';
import type { DueCallback } from '../callbacks/callback';
import type { CallbackTargets } from '../callbacks/targets';
import type { CrewDefinition } from '../crew/definition';
import { fillTemplate } from '../crew/template';
import { hasEnded, type ExecutionRecord, type Owner, type TaskRecord } from './record';
import { ExecutionRun } from './run';
import type { Worker } from './worker';

export interface KickoffOrder {
	owner: Owner;
	inputs: Record<string, unknown>;
	meta?: Record<string, unknown>;
	callbacks: CallbackTargets;
}

export interface ResumeOrder {
	taskId: string;
	humanFeedback: string;
	isApprove: boolean;
	/** They take the place of those that kickoff gave: what is not here is no longer called. */
	callbacks: CallbackTargets;
}

export type ResumeOutcome = 'resumed' | 'retrying' | 'completed' | 'unknown_task' | 'not_waiting';

/** Where callbacks go that an execution gives rise to. */
export interface Outbox {
	send(callbacks: readonly DueCallback[]): void;
}

/** All executions of one crew: starts them, works on their tasks, and ends them. */
export class Executions {
	private readonly records = new Map<string, ExecutionRecord>();
	private readonly runs = new Map<string, ExecutionRun>();

	constructor(
		private readonly crew: CrewDefinition,
		private readonly worker: Worker,
		private readonly outbox: Outbox,
	) {}

	/** Starts an execution; the work goes on after the return. */
	kickoff(order: KickoffOrder): ExecutionRecord {
		const execution: ExecutionRecord = {
			kickoffId: randomUUID(),
			...order,
			state: 'running',
			tasks: this.crew.tasks.map((task) => ({
				taskId: task.name,
				description: fillTemplate(task.description, order.inputs),
				expectedOutput: fillTemplate(task.expectedOutput, order.inputs),
				agent: task.agent,
				state: 'waiting',
				attempts: 0,
			})),
			feedback: [],
			tokenUsage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
			heldEvents: [],
			startedAt: Date.now(),
		};
		this.records.set(execution.kickoffId, execution);
		this.outbox.send(
			announce.event(execution, 'crew_kickoff_started', {
				crew_name: this.crew.name,
				inputs: order.inputs,
			}),
		);
		this.run(execution);
		return execution;
	}

	find(kickoffId: string): ExecutionRecord | undefined {
		return this.records.get(kickoffId);
	}

	/** Copies of all executions, in the order of their kickoff. */
	all(): readonly ExecutionRecord[] {
		return [...this.records.values()].map((execution) => ({
			...execution,
			tasks: execution.tasks.map((task) => ({ ...task })),
			feedback: [...execution.feedback],
		}));
	}

	/** Takes a person's feedback on the task that waits for it, and goes on. */
	resume(execution: ExecutionRecord, order: ResumeOrder): ResumeOutcome {
		const task = execution.tasks.find(({ taskId }) => taskId === order.taskId);
		if (!task) return 'unknown_task';
		const waits = execution.state === 'pending_human_input' && task.state === execution.state;
		if (!waits) return 'not_waiting';
		execution.callbacks = order.callbacks;
		execution.feedback.push({
			taskId: task.taskId,
			text: order.humanFeedback,
			isApprove: order.isApprove,
			output: task.output ?? '',
		});
		execution.state = 'running';
		if (!order.isApprove) task.state = 'waiting';
		const run = this.run(execution, order.isApprove ? task : undefined);
		if (run.isOver) return 'completed';
		return order.isApprove ? 'resumed' : 'retrying';
	}

	/** @returns whether it was still going on */
	stop(execution: ExecutionRecord): boolean {
		if (hasEnded(execution)) return false;
		execution.state = 'stopped';
		execution.finishedAt = Date.now();
		this.runs.get(execution.kickoffId)?.abort();
		return true;
	}

	/** Stops all work where it stands. */
	async close(): Promise<void> {
		const runs = [...this.runs.values()];
		for (const run of runs) run.abort();
		await Promise.all(runs.map(({ finished }) => finished));
	}

	private run(execution: ExecutionRecord, approved?: TaskRecord): ExecutionRun {
		const run = new ExecutionRun(this.crew, this.worker, this.outbox, execution);
		this.runs.set(execution.kickoffId, run);
		run.start(approved);
		void run.finished.then(() => {
			if (this.runs.get(execution.kickoffId) === run) this.runs.delete(execution.kickoffId);
		});
		return run;
	}
}
