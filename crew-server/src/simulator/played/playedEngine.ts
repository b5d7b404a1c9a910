import { factsOf, isOpen, type Execution, type Step, type Task } from '../../domain/execution';
import type { Report } from '../../domain/messages';
import type { Engine, Run, Work } from '../../worker/engine';
import { refuseHugeOutput, TaskFailure } from '../../worker/taskFailure';
import type { CrewTask } from '../crew/definition';
import { assignmentOf } from './assignment';
import { workWithFaults } from './faultyWork';
import type { PlayedSettings } from './settings';

/** Plays the tasks of a crew one after the other, as their definitions say. */
export function playedEngine(settings: PlayedSettings): Engine {
	return {
		crew: { ...settings.crew, approvalsAreFinal: true },
		parallel: Infinity,
		begin: (run) => new Play(settings, run),
		close: () => Promise.resolve(),
	};
}

/** The work is no longer this process's. */
class WorkLost extends Error {
	override readonly name = 'WorkLost';
}

class Play implements Work {
	readonly finished: Promise<void>;
	private readonly ending = new AbortController();
	/** What has happened and was not reported yet. It is reported before anything that takes time. */
	private reports: Report[] = [];

	constructor(
		private readonly settings: PlayedSettings,
		private readonly run: Run,
	) {
		this.finished = this.playTasks();
	}

	end(): void {
		this.ending.abort();
	}

	private async playTasks(): Promise<void> {
		let current: Task | undefined;
		try {
			if (this.run.execution.questions.some(isOpen)) this.tell({ type: 'paused' });
			else {
				const waiting = this.run.execution.tasks.filter(({ state }) => state === 'waiting');
				for (current of waiting) if (!(await this.play(current))) return;
				this.tell({ type: 'crew_done' });
			}
		} catch (error) {
			if (this.ending.signal.aborted || error instanceof WorkLost) this.reports = [];
			else this.fail(error, current);
		} finally {
			if (this.reports.length > 0) await this.run.report(...this.reports);
		}
	}

	/** @returns whether the crew can continue with the next task */
	private async play(task: Task): Promise<boolean> {
		const { taskId } = task;
		const definition = this.definitionOf(task);
		const facts = factsOf(task);
		const { prompt } = assignmentOf(task, this.withReports());
		this.tell(
			{ type: 'task_begun', taskId },
			event('agent_execution_started', { ...facts, task_prompt: prompt }),
			event('llm_call_started', { ...facts, prompt }),
		);
		const execution = await this.send();
		const begun = execution.tasks.find((one) => one.taskId === taskId) ?? task;
		const { output, tokenUsage } = await workWithFaults(
			this.settings,
			execution,
			definition,
			assignmentOf(begun, execution),
			{ signal: this.ending.signal, onStep: (step) => this.noteStep(task, step) },
		);
		this.ending.signal.throwIfAborted();
		refuseHugeOutput(Buffer.byteLength(output), this.settings.outputLimit);
		this.tell(
			{ type: 'tokens', usage: tokenUsage },
			event('llm_call_completed', { ...facts, usage: tokenUsage, response: output }),
			event('agent_execution_completed', { ...facts, output }),
		);
		if (definition.humanInput) this.tell({ type: 'question', taskId, output }, { type: 'paused' });
		else this.tell({ type: 'task_done', taskId, output });
		return !definition.humanInput;
	}

	private definitionOf(task: Task): CrewTask {
		const definition = this.settings.crew.tasks.find(({ name }) => name === task.taskId);
		if (!definition)
			throw new TaskFailure(
				`The crew no longer has a task ${task.taskId}: the crew was deployed again while this execution was running.`,
			);
		return definition;
	}

	/** Takes note of a step; those with a tool are followed by others, which take time. */
	private async noteStep(task: Task, step: Step): Promise<void> {
		refuseHugeOutput(Buffer.byteLength(step.result), this.settings.outputLimit);
		this.tell({ type: 'step', step });
		if (step.tool === undefined) return;
		const tool = { ...factsOf(task), tool_name: step.tool, tool_args: step.tool_input };
		this.tell(
			event('tool_usage_started', tool),
			event('tool_usage_finished', { ...tool, output: step.result }),
		);
		await this.send();
	}

	private fail(error: unknown, task: Task | undefined): void {
		// Of our own faults, clients only learn that there was one.
		const isOwn = !(error instanceof TaskFailure);
		if (isOwn) this.run.explain(causeOf(error));
		const text = isOwn ? 'The crew itself failed and ended.' : error.message;
		if (task) this.tell(event('agent_execution_error', { ...factsOf(task), error: text }));
		this.tell({ type: 'failed', error: text });
	}

	/** The execution with the outputs that are still to be reported. */
	private withReports(): Execution {
		const { execution } = this.run;
		const tasks = execution.tasks.map((task) => {
			const done = this.reports.find(
				(report) => report.type === 'task_done' && report.taskId === task.taskId,
			);
			return done?.type === 'task_done' ? { ...task, output: done.output } : task;
		});
		return { ...execution, tasks };
	}

	private tell(...reports: Report[]): void {
		this.reports.push(...reports);
	}

	/**
	 * Reports what has happened so far.
	 *
	 * @returns the execution, which has it
	 * @throws {WorkLost} if someone else has it now
	 */
	private async send(): Promise<Execution> {
		const isTaken = await this.run.report(...this.reports.splice(0));
		if (!isTaken) throw new WorkLost();
		this.ending.signal.throwIfAborted();
		return this.run.execution;
	}
}

function event(name: string, data: Record<string, unknown>): Report {
	return { type: 'event', name, data };
}

function causeOf(error: unknown) {
	const { name, message, stack } = error as Partial<Error>;
	return { reason: `${name}: ${message}`, traceback: stack ?? null };
}
