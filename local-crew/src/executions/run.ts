import * as announce from '../callbacks/announcements';
import type { DueCallback } from '../callbacks/callback';
import type { CrewTask } from '../crew/definition';
import type { Foundation } from './foundation';
import type { Assignment } from './prompt';
import {
	currentTask,
	finalOutput,
	type ExecutionRecord,
	type Step,
	type TaskRecord,
	type TokenUsage,
} from './record';
import { faultyWorker } from './faultyWorker';
import { refuseHugeOutput, TaskFailure } from './worker';

/** The work on one execution, from a kickoff or a resume to its next pause or its end. */
export class ExecutionRun {
	/** Resolves, and never rejects, once nothing more is worked on. */
	finished: Promise<void> = Promise.resolve();
	/** Whether the execution has come to its end within {@link start}. */
	isOver = false;
	private readonly stopping = new AbortController();

	constructor(
		private readonly foundation: Foundation,
		private readonly execution: ExecutionRecord,
	) {}

	/**
	 * @param approved the task that a person has just approved, if one has
	 * @param isTakenUp whether an earlier process has left the execution in the middle of a task
	 */
	start({ approved, isTakenUp = false }: { approved?: TaskRecord; isTakenUp?: boolean }): void {
		if (approved) this.completeTask(approved);
		const task = currentTask(this.execution);
		if (!task) {
			this.completeCrew();
			this.isOver = true;
			return;
		}
		// The begin that was cut off is no try of its own.
		if (isTakenUp && task.state === 'running') task.attempts -= 1;
		this.finished = this.workOnTasks();
	}

	abort(): void {
		this.stopping.abort();
	}

	private async workOnTasks(): Promise<void> {
		try {
			for (let task = currentTask(this.execution); task; task = currentTask(this.execution)) {
				const isDone = await this.workOn(task);
				if (!isDone) return;
			}
			this.completeCrew();
		} catch (error) {
			// A stopped execution has its end already, and a closing deployment leaves it as it is.
			if (!this.stopping.signal.aborted) this.fail(error);
		}
	}

	/** @returns whether the crew can go on with the next task */
	private async workOn(task: TaskRecord): Promise<boolean> {
		const definition = this.definitionOf(task);
		task.state = 'running';
		task.attempts += 1;
		task.startedAt = Date.now();
		task.finishedAt = undefined;
		this.announceBegin(task);
		const worker = faultyWorker(this.foundation, this.execution);
		const { output, tokenUsage } = await worker.work(definition, this.assignment(task), {
			signal: this.stopping.signal,
			onStep: (step) => {
				this.noteStep(task, step);
			},
		});
		this.stopping.signal.throwIfAborted();
		refuseHugeOutput(Buffer.byteLength(output), this.foundation.outputLimit);
		task.output = output;
		task.finishedAt = Date.now();
		this.addTokens(tokenUsage);
		this.announceWorkDone(task, tokenUsage);
		if (definition.humanInput) this.askPerson(task);
		else this.completeTask(task);
		return !definition.humanInput;
	}

	private definitionOf(task: TaskRecord): CrewTask {
		const definition = this.foundation.crew.tasks.find(({ name }) => name === task.taskId);
		if (!definition)
			throw new TaskFailure(
				`The crew no longer has a task ${task.taskId}: it was deployed anew while this execution was under way.`,
			);
		return definition;
	}

	private assignment(task: TaskRecord): Assignment {
		const { inputs, tasks, feedback } = this.execution;
		return {
			taskId: task.taskId,
			description: task.description,
			expectedOutput: task.expectedOutput,
			agent: task.agent,
			inputs,
			earlier: tasks
				.slice(0, tasks.indexOf(task))
				.map(({ taskId, output }) => ({ taskId, output: output ?? '' })),
			feedback,
		};
	}

	private noteStep(task: TaskRecord, step: Step): void {
		refuseHugeOutput(Buffer.byteLength(step.result), this.foundation.outputLimit);
		this.execution.lastStep = step;
		this.send(announce.stepTaken(this.execution, step));
		if (step.tool === undefined) return;
		const tool = { tool_name: step.tool, tool_args: step.tool_input, agent_role: task.agent };
		this.event('tool_usage_started', tool);
		this.event('tool_usage_finished', { ...tool, output: step.result });
	}

	private askPerson(task: TaskRecord): void {
		task.state = 'pending_human_input';
		this.execution.state = 'pending_human_input';
		this.send(announce.heldEvents(this.execution));
		this.send(announce.humanInputWanted(this.execution, task));
	}

	private completeTask(task: TaskRecord): void {
		task.state = 'completed';
		this.send(announce.taskCompleted(this.execution, task));
		this.event('task_completed', { ...factsOf(task), output: task.output ?? '' });
	}

	private completeCrew(): void {
		this.execution.state = 'completed';
		this.execution.finishedAt = Date.now();
		this.event('crew_kickoff_completed', {
			crew_name: this.foundation.crew.name,
			output: finalOutput(this.execution),
			total_tokens: this.execution.tokenUsage.total_tokens,
		});
		this.send(announce.heldEvents(this.execution));
		this.send(announce.crewCompleted(this.execution));
	}

	private fail(error: unknown): void {
		// Clients are told nothing of our own faults but that there was one.
		if (!(error instanceof TaskFailure)) console.error(error);
		const text =
			error instanceof TaskFailure ? error.message : 'The crew met a fault of its own and ended.';
		const task = currentTask(this.execution);
		if (task) {
			task.state = 'failed';
			task.finishedAt = Date.now();
			this.event('agent_execution_error', { ...factsOf(task), error: text });
			this.event('task_failed', { ...factsOf(task), error: text });
		}
		this.execution.state = 'failed';
		this.execution.error = text;
		this.execution.finishedAt = Date.now();
		this.event('crew_kickoff_failed', { crew_name: this.foundation.crew.name, error: text });
		this.send(announce.heldEvents(this.execution));
	}

	private announceBegin(task: TaskRecord): void {
		this.event('task_started', factsOf(task));
		this.event('agent_execution_started', factsOf(task));
		this.event('llm_call_started', factsOf(task));
	}

	private announceWorkDone(task: TaskRecord, usage: TokenUsage): void {
		this.event('llm_call_completed', { ...factsOf(task), usage });
		this.event('agent_execution_completed', { ...factsOf(task), output: task.output ?? '' });
	}

	private addTokens(usage: TokenUsage): void {
		const sum = this.execution.tokenUsage;
		sum.total_tokens += usage.total_tokens;
		sum.prompt_tokens += usage.prompt_tokens;
		sum.completion_tokens += usage.completion_tokens;
	}

	private event(type: string, data: Record<string, unknown>): void {
		this.send(announce.event(this.execution, type, data));
	}

	private send(callbacks: readonly DueCallback[]): void {
		this.foundation.ledger.note(this.execution, callbacks).catch((error: unknown) => {
			console.error('The execution could not be written down:', error);
		});
	}
}

function factsOf(task: TaskRecord): Record<string, unknown> {
	return { task_id: task.taskId, task_name: task.taskId, agent_role: task.agent };
}
