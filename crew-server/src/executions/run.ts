import * as announce from '../callbacks/announcements';
import type { DueCallback } from '../callbacks/callback';
import type { Cause, Engine, Kept, Question, Reports, TaskOutput, TaskTexts, Work } from './engine';
import type { Foundation } from './foundation';
import {
	factsOf,
	finalOutput,
	forgetWork,
	hasBegun,
	type ExecutionRecord,
	type Step,
	type StreamEvent,
	type TaskRecord,
	type TokenUsage,
} from './record';

/** The work on one execution, from a kickoff or a resume to its next pause or its end: what is told of it is kept and announced. */
export class ExecutionRun implements Reports {
	private work: Work | undefined;
	private isOver = false;

	constructor(
		private readonly foundation: Pick<Foundation, 'engine' | 'ledger' | 'log'>,
		private readonly execution: ExecutionRecord,
	) {}

	/** Resolves, and never rejects, once nothing more is worked on. */
	get finished(): Promise<void> {
		return this.work?.finished ?? Promise.resolve();
	}

	start(how: keyof Pick<Engine, 'begin' | 'answer'>): void {
		this.work = this.foundation.engine[how](this.execution, this);
	}

	/** @returns whether the work that goes on takes the answer to a question of this task */
	answer(taskId: string): boolean {
		return this.work?.answer?.(taskId) ?? false;
	}

	/** Ends the work; nothing that is still told of it counts. */
	end(): void {
		this.isOver = true;
		this.work?.end();
	}

	waitsInLine(waits: boolean): void {
		if (this.isOver) return;
		if (waits) this.execution.waitsInLine = true;
		else delete this.execution.waitsInLine;
		void this.send([]);
	}

	async prepared(kept: unknown): Promise<void> {
		if (this.isOver) return;
		this.execution.prepared = kept;
		await this.send([]);
	}

	async taskBegun(taskId: string, texts: TaskTexts = {}): Promise<void> {
		const task = this.find(taskId);
		if (!task) return;
		Object.assign(task, texts, { state: 'running', startedAt: Date.now(), finishedAt: undefined });
		task.attempts += 1;
		await this.sendEvent('task_started', factsOf(task));
	}

	step(step: Step): void {
		if (this.isOver) return;
		const { lastStep } = this.execution;
		this.execution.lastStep = step;
		void this.send(announce.stepTaken(this.execution, step, lastStep));
	}

	tokensUsed(usage: TokenUsage): void {
		if (this.isOver) return;
		const sum = this.execution.tokenUsage;
		sum.total_tokens += usage.total_tokens;
		sum.prompt_tokens += usage.prompt_tokens;
		sum.completion_tokens += usage.completion_tokens;
	}

	event(type: string, data: Record<string, unknown>): void {
		if (!this.isOver) void this.sendEvent(type, data);
	}

	async question(taskId: string, { worksOn, ...question }: Question): Promise<void> {
		const task = this.find(taskId);
		if (!task) return;
		delete task.isAnswered;
		Object.assign(task, question, { state: 'pending_human_input', finishedAt: Date.now() });
		this.execution.worksOn = worksOn;
		this.execution.state = 'pending_human_input';
		const facts = { ...factsOf(task), output: task.output ?? '' };
		await this.sendEvent('human_feedback_requested', facts, () => [
			...announce.heldEvents(this.execution),
			...announce.humanInputWanted(this.execution, task),
		]);
	}

	async paused(): Promise<void> {
		if (this.isOver) return;
		delete this.execution.worksOn;
		await this.send([]);
	}

	async taskSkipped(taskId: string): Promise<void> {
		const task = this.find(taskId);
		if (!task) return;
		Object.assign(task, { state: 'completed', output: '' });
		await this.send([]);
	}

	async taskDone(taskId: string, output: TaskOutput & TaskTexts & Kept): Promise<void> {
		const task = this.find(taskId);
		if (!task) return;
		Object.assign(task, { kept: undefined }, output, { state: 'completed' });
		delete task.isAnswered;
		task.finishedAt ??= Date.now();
		const facts = { ...factsOf(task), output: task.output ?? '' };
		await this.sendEvent('task_completed', facts, () =>
			announce.taskCompleted(this.execution, task),
		);
	}

	async taskLost(taskId: string, error: string): Promise<void> {
		const task = this.find(taskId);
		if (!task) return;
		this.failTask(task, error);
		await this.send([]);
	}

	async crewDone(result?: TaskOutput): Promise<void> {
		if (this.isOver) return;
		if (result) this.execution.result = result;
		this.finish('completed');
		const facts = {
			crew_name: this.foundation.engine.crew.name,
			output: finalOutput(this.execution),
			total_tokens: this.execution.tokenUsage.total_tokens,
		};
		await this.sendEvent('crew_kickoff_completed', facts, () => [
			...announce.heldEvents(this.execution),
			...announce.crewCompleted(this.execution),
		]);
	}

	async failed(error: string, cause?: Cause): Promise<void> {
		if (this.isOver) return;
		const unfinished = this.execution.tasks.filter(
			(task) => hasBegun(task) && task.state !== 'completed' && task.state !== 'failed',
		);
		for (const task of unfinished) this.failTask(task, error);
		this.finish('failed');
		this.execution.error = error;
		this.tellCause(cause?.reason ?? error, cause?.traceback ?? undefined);
		const facts = { crew_name: this.foundation.engine.crew.name, error };
		await this.sendEvent('crew_kickoff_failed', facts, () => announce.heldEvents(this.execution));
	}

	printed(lines: readonly string[]): void {
		const { kickoffId: kickoff_id } = this.execution;
		for (const text of lines) this.foundation.log.info({ kickoff_id, text }, 'printed');
	}

	private tellCause(reason: string, traceback: string | undefined): void {
		const { log } = this.foundation;
		const { kickoffId: kickoff_id } = this.execution;
		log.error({ kickoff_id, reason }, 'crew_kickoff_failed');
		if (traceback !== undefined) log.debug({ kickoff_id, traceback }, 'traceback');
	}

	private failTask(task: TaskRecord, error: string): void {
		task.state = 'failed';
		task.finishedAt = Date.now();
		this.event('task_failed', { ...factsOf(task), error });
	}

	private finish(state: 'completed' | 'failed'): void {
		this.isOver = true;
		delete this.execution.waitsInLine;
		delete this.execution.worksOn;
		forgetWork(this.execution);
		this.execution.state = state;
		this.execution.finishedAt = Date.now();
	}

	/** A task of the execution, as long as anything that is told of it counts. */
	private find(taskId: string): TaskRecord | undefined {
		if (this.isOver) return undefined;
		return this.execution.tasks.find((task) => task.taskId === taskId);
	}

	/** @param callbacks the other callbacks that it gives rise to, made once the stream's are */
	private async sendEvent(
		type: string,
		data: Record<string, unknown>,
		callbacks: () => DueCallback[] = () => [],
	): Promise<void> {
		const entry = announce.streamEvent(this.execution, type, data);
		await this.send([...announce.event(this.execution, entry), ...callbacks()], [entry]);
	}

	private async send(
		callbacks: readonly DueCallback[],
		events: readonly StreamEvent[] = [],
	): Promise<void> {
		const { ledger, log } = this.foundation;
		await ledger.note(this.execution, callbacks, events).catch((error: unknown) => {
			log.error({ kickoff_id: this.execution.kickoffId, err: error }, 'not_written_down');
		});
	}
}
