import type { Reports, Work } from '../../executions/engine';
import { cutOff, isOpen, type ExecutionRecord } from '../../executions/record';
import { refuseHugeOutput, TaskFailure } from '../../executions/taskFailure';
import { answerTo, beginOrder } from './beginOrder';
import type { Child, ChildExit } from './children';
import type { Turn } from './line';
import type { ChildOrder, ChildReport, Report } from './protocol';

export interface CrewWorkSettings {
	/** A child that does nothing yet. */
	takeChild: () => Child;
	/** Makes room for others. */
	leave: (work: CrewWork) => void;
	/** Makes room as long as its process waits for a person. */
	rest: (work: CrewWork) => void;
	/** Takes the next turn to go on after that. */
	goOn: (work: CrewWork) => void;
	/** Told once, when the crew is past its start: the model is asked, or nothing more will come. */
	onUnderWay: () => void;
	/** Milliseconds after which the work is ended; none unless given. */
	timeLimit?: number;
	/** Bytes of the largest output that a task may have. */
	outputLimit: number;
}

/** How often a task is begun again after it was cut off. */
const MOST_NEW_BEGINS = 2;

/** One execution in a child of its own, up to a question or its end. */
export class CrewWork implements Work, Turn {
	readonly finished: Promise<void>;
	private finish: () => void = () => undefined;
	private child: Child | undefined;
	/** Whether its end, of whatever kind, has been told, or the question at which it pauses. */
	private isOver = false;
	private isUnderWay = false;
	private waited = false;
	/** Whether the child has asked a person and has nothing else to do. */
	private hasRested = false;
	/** Whether a person has answered since the child began. */
	private wasAnswered = false;
	/** Whether the child has asked a person and waits: no other could go on. */
	private rests = false;
	/** What the child is told as soon as it may go on. */
	private order: ChildOrder | undefined;
	/** How many hosts have died under it. */
	private lostHosts = 0;
	private timer: NodeJS.Timeout | undefined;

	constructor(
		private readonly settings: CrewWorkSettings,
		private readonly execution: ExecutionRecord,
		private readonly reports: Reports,
	) {
		this.finished = new Promise((resolve) => {
			this.finish = resolve;
		});
	}

	/** Tells that it has to wait for its turn. */
	wait(): void {
		this.waited = true;
		this.reports.waitsInLine(true);
	}

	take(): void {
		if (this.waited) this.reports.waitsInLine(false);
		this.waited = false;
		this.limitTime();
		if (this.order) {
			this.sendOrder();
			return;
		}
		this.hasRested = false;
		this.wasAnswered = false;
		const child = this.settings.takeChild();
		this.child = child;
		child.onReport((report) => {
			this.hear(child, report);
		});
		child.onPrinted((lines) => {
			this.reports.printed(lines);
		});
		child.send(beginOrder(this.execution));
		void child.exited.then((exit) => this.bury(exit));
	}

	/** Has the child go on with an answer; one that is about to end is followed by another. */
	answer(taskId: string): boolean {
		if (this.isOver) return false;
		const task = this.execution.tasks.find((one) => one.taskId === taskId);
		const answer = task && answerTo(this.execution, task);
		if (answer) this.order = { type: 'answer', task_id: taskId, ...answer };
		this.wasAnswered = true;
		if (this.rests) this.settings.goOn(this);
		else this.sendOrder();
		this.rests = false;
		return true;
	}

	end(): void {
		this.isOver = true;
		if (this.child) {
			this.child.end();
			return;
		}
		this.settings.leave(this);
		this.finish();
	}

	private sendOrder(): void {
		if (this.order) this.child?.send(this.order);
		this.order = undefined;
	}

	private hear(child: Child, report: ChildReport): void {
		if (this.isOver) return;
		try {
			if (!('number' in report)) {
				this.tell(report);
				return;
			}
			void this.tellLasting(report).then(() => {
				child.send({ type: 'acknowledged', number: report.number });
			});
		} catch (error) {
			this.fail(error instanceof TaskFailure ? error.message : String(error));
		}
	}

	/** Tells what the child waits for, until the journal has it. */
	private tellLasting(report: LastingReport): Promise<void> {
		// A flow may ask no model.
		if (report.type !== 'prepared' && report.type !== 'task_begun') this.noteUnderWay();
		switch (report.type) {
			case 'prepared':
				return this.reports.prepared(report.kept);
			case 'task_begun':
				return this.reports.taskBegun(report.task_id, textsOf(report));
			case 'question':
				return this.tellQuestion(report);
			case 'task_skipped':
				return this.reports.taskSkipped(report.task_id);
			case 'task_done':
				return this.reports.taskDone(report.task_id, {
					...textsOf(report),
					...this.outputOf(report),
					kept: report.kept ?? undefined,
				});
			case 'task_lost':
				return this.reports.taskLost(report.task_id, report.error);
			case 'crew_done': {
				const output = this.outputOf(report);
				this.isOver = true;
				return this.reports.crewDone(output);
			}
			case 'failed':
				this.isOver = true;
				return this.reports.failed(report.error, report);
		}
	}

	private tellQuestion(report: Extract<LastingReport, { type: 'question' }>): Promise<void> {
		const { task_id, kept, reason, works_on: worksOn } = report;
		// A person takes the time that they need.
		this.rests = kept === null;
		if (!worksOn || this.rests) clearTimeout(this.timer);
		if (this.rests) this.settings.rest(this);
		this.hasRested = !worksOn;
		return this.reports.question(task_id, {
			...this.outputOf(report),
			kept,
			reason: reason ?? undefined,
			worksOn: worksOn || undefined,
		});
	}

	private tell(report: Exclude<ChildReport, { number: number }>): void {
		switch (report.type) {
			case 'step':
				this.tellStep(report);
				return;
			case 'tokens': {
				const { total, prompt, completion } = report;
				this.reports.tokensUsed({
					total_tokens: total,
					prompt_tokens: prompt,
					completion_tokens: completion,
				});
				return;
			}
			case 'event':
				if (report.name === 'llm_call_started') this.noteUnderWay();
				this.reports.event(report.name, report.data);
				return;
			case 'hello':
			case 'described':
				throw new Error(`A child at work sent ${report.type}.`);
		}
	}

	private tellStep({ prompt, thought, tool, tool_input, result }: Report<'step'>): void {
		refuseHugeOutput(Buffer.byteLength(result), this.settings.outputLimit);
		this.reports.step({
			prompt,
			thought,
			...(tool === null ? {} : { tool, tool_input: tool_input ?? '' }),
			result,
		});
	}

	private outputOf({ output, output_json }: Report<'question' | 'task_done' | 'crew_done'>) {
		refuseHugeOutput(Buffer.byteLength(output), this.settings.outputLimit);
		return { output, outputJson: output_json ?? undefined };
	}

	private limitTime(): void {
		const { timeLimit } = this.settings;
		if (timeLimit === undefined) return;
		this.timer = setTimeout(() => {
			this.endLate(timeLimit);
		}, timeLimit);
	}

	private endLate(milliseconds: number): void {
		this.fail(
			`The work has taken longer than the ${milliseconds / 60_000} minutes that --limit allows, and was ended.`,
		);
	}

	private fail(error: string): void {
		if (this.isOver) return;
		this.isOver = true;
		void this.reports.failed(error);
		this.child?.end();
	}

	private noteUnderWay(): void {
		if (this.isUnderWay) return;
		this.isUnderWay = true;
		this.settings.onUnderWay();
	}

	/** Whether it is to go on with another host, now that its own has died. */
	private mayBeginAgain(): boolean {
		this.lostHosts += 1;
		cutOff(this.execution);
		return this.lostHosts <= MOST_NEW_BEGINS && !wornOut(this.execution);
	}

	/** Whether the child has ended because there was nothing to do but to wait for a person. */
	private isAtRest({ code }: ChildExit): boolean {
		if (this.hasRested) return true;
		const { tasks } = this.execution;
		const isBusy = tasks.some(
			({ state, isAnswered }) => state === 'running' || (isAnswered && !this.wasAnswered),
		);
		return code === 0 && !isBusy && (this.wasAnswered || tasks.some(isOpen));
	}

	private async bury(exit: ChildExit): Promise<void> {
		clearTimeout(this.timer);
		const isAtRest = this.isAtRest(exit);
		const hasAnswer = isAtRest && this.execution.tasks.some(({ isAnswered }) => isAnswered);
		if (!this.isOver && (hasAnswer || (!isAtRest && exit.isHostGone && this.mayBeginAgain()))) {
			this.noteUnderWay();
			this.isUnderWay = false;
			this.rests = false;
			this.order = undefined;
			this.take();
			return;
		}
		if (!this.isOver) {
			this.isOver = true;
			const text = wornOut(this.execution) ?? textOfExit(exit);
			await (isAtRest ? this.reports.paused() : this.reports.failed(text));
		}
		this.settings.leave(this);
		this.noteUnderWay();
		this.finish();
	}
}

type LastingReport = Extract<ChildReport, { number: number }>;

/** Why an execution is not begun again: a task of it was cut off too often. */
export function wornOut({ tasks }: ExecutionRecord): string | undefined {
	const task = tasks.find((one) => (one.cutOff ?? 0) > MOST_NEW_BEGINS);
	return (
		task &&
		`The task ${task.taskId} was cut off ${task.cutOff ?? 0} times by the end of the server or of its host. It is not begun again, since that costs model calls each time.`
	);
}

function textsOf(report: Report<'task_begun' | 'task_done'>) {
	const { description, expected_output, agent } = report;
	return { description, expectedOutput: expected_output, agent };
}

function textOfExit({ code, signal, lines }: ChildExit): string {
	const how = signal === null ? (code === null ? '' : ` with exit code ${code}`) : ` by ${signal}`;
	const why = signal === 'SIGKILL' ? '; perhaps the machine ran out of memory' : '';
	const last = lines.length > 0 ? `\nIts last lines:\n${lines.join('\n')}` : '';
	return `The process of the execution ended by itself${how}${why}.${last}`;
}
