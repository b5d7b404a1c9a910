import type { CrewTask } from '../../crew/definition';
import type { Engine, Reports, Work } from '../../executions/engine';
import {
	currentTask,
	factsOf,
	type ExecutionRecord,
	type Step,
	type TaskRecord,
} from '../../executions/record';
import { refuseHugeOutput, TaskFailure } from '../../executions/taskFailure';
import { assignmentOf } from './assignment';
import { workWithFaults } from './faultyWork';
import type { PlayedSettings } from './settings';

/** Plays the tasks of a crew one after the other, as their definitions say. */
export function playedEngine(settings: PlayedSettings): Engine {
	return {
		crew: settings.crew,
		begin: (execution, reports) => new Play(settings, execution, reports).start(),
		answer: (execution, reports) => {
			const { taskId, isApprove } = execution.feedback.at(-1) ?? {};
			const asked = execution.tasks.find((task) => task.taskId === taskId);
			const play = new Play(settings, execution, reports);
			if (asked && isApprove) void reports.taskDone(asked.taskId, { output: asked.output ?? '' });
			return play.start();
		},
		close: () => Promise.resolve(),
	};
}

class Play implements Work {
	finished: Promise<void> = Promise.resolve();
	private readonly ending = new AbortController();

	constructor(
		private readonly settings: PlayedSettings,
		private readonly execution: ExecutionRecord,
		private readonly reports: Reports,
	) {}

	start(): Work {
		if (currentTask(this.execution)) this.finished = this.playTasks();
		else void this.reports.crewDone();
		return this;
	}

	end(): void {
		this.ending.abort();
	}

	private async playTasks(): Promise<void> {
		try {
			for (let task = currentTask(this.execution); task; task = currentTask(this.execution)) {
				const isDone = await this.play(task);
				if (!isDone) return;
			}
			void this.reports.crewDone();
		} catch (error) {
			if (!this.ending.signal.aborted) this.fail(error);
		}
	}

	/** @returns whether the crew can go on with the next task */
	private async play(task: TaskRecord): Promise<boolean> {
		const definition = this.definitionOf(task);
		const facts = factsOf(task);
		void this.reports.taskBegun(task.taskId);
		this.reports.event('agent_execution_started', facts);
		this.reports.event('llm_call_started', facts);
		const { output, tokenUsage } = await workWithFaults(
			this.settings,
			this.execution,
			definition,
			assignmentOf(task, this.execution),
			{
				signal: this.ending.signal,
				onStep: (step) => {
					this.noteStep(task, step);
				},
			},
		);
		this.ending.signal.throwIfAborted();
		refuseHugeOutput(Buffer.byteLength(output), this.settings.outputLimit);
		this.reports.tokensUsed(tokenUsage);
		this.reports.event('llm_call_completed', { ...facts, usage: tokenUsage });
		this.reports.event('agent_execution_completed', { ...facts, output });
		if (definition.humanInput) void this.reports.question(task.taskId, { output });
		else void this.reports.taskDone(task.taskId, { output });
		return !definition.humanInput;
	}

	private definitionOf(task: TaskRecord): CrewTask {
		const definition = this.settings.crew.tasks.find(({ name }) => name === task.taskId);
		if (!definition)
			throw new TaskFailure(
				`The crew no longer has a task ${task.taskId}: it was deployed anew while this execution was under way.`,
			);
		return definition;
	}

	private noteStep(task: TaskRecord, step: Step): void {
		refuseHugeOutput(Buffer.byteLength(step.result), this.settings.outputLimit);
		this.reports.step(step);
		if (step.tool === undefined) return;
		const tool = { tool_name: step.tool, tool_args: step.tool_input, agent_role: task.agent };
		this.reports.event('tool_usage_started', tool);
		this.reports.event('tool_usage_finished', { ...tool, output: step.result });
	}

	private fail(error: unknown): void {
		// Clients are told nothing of our own faults but that there was one.
		if (!(error instanceof TaskFailure)) console.error(error);
		const text =
			error instanceof TaskFailure ? error.message : 'The crew met a fault of its own and ended.';
		const task = currentTask(this.execution);
		if (task) this.reports.event('agent_execution_error', { ...factsOf(task), error: text });
		void this.reports.failed(text);
	}
}
