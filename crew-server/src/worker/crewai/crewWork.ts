import { isWaitingForPerson } from '../../domain/execution';
import { MOST_RETRIES, retriesExhausted } from '../../domain/interruption';
import type { Run, Work } from '../engine';
import { TaskFailure } from '../taskFailure';
import { answerTo, beginOrder } from './beginOrder';
import type { Child, ChildExit } from './children';
import { memoryOf } from './memory';
import type { ChildReport, Report } from './protocol';
import { reportOf } from './reportOf';

export interface CrewWorkSettings {
	/** Takes a child that has no work yet. */
	takeChild: () => Child;
	/** Milliseconds after which the work is stopped (default: never). */
	timeLimit?: number;
	/** Model tokens that one execution may use (default: any number). */
	maxTokens?: number;
	/** Megabytes of memory that the processes of one execution may use (default: any number). */
	memoryLimit?: number;
	/** Bytes of the largest output that a task may have. */
	outputLimit: number;
}

/** Milliseconds between two checks of an execution's memory. */
const BETWEEN_LOOKS = 1_000;

/** One execution in its own child, up to a question or its end. */
export class CrewWork implements Work {
	readonly finished: Promise<void>;
	private finish: () => void = () => undefined;
	private child: Child | undefined;
	/** Whether its end, of any kind, has been reported. */
	private isOver = false;
	/** Whether its slot is yielded: the child waits for an answer, and no other process could continue. */
	private hasYielded = false;
	/** How many hosts have died during the work. */
	private lostHosts = 0;
	private timer: NodeJS.Timeout | undefined;

	constructor(
		private readonly settings: CrewWorkSettings,
		private readonly run: Run,
	) {
		this.finished = new Promise((resolve) => {
			this.finish = resolve;
		});
	}

	/** A flow may have something that cannot be stored as JSON, and some questions can be continued only by this child. */
	get isBound(): boolean {
		const { checkpoint, questions } = this.run.execution;
		const { lost } = (checkpoint ?? {}) as { lost?: unknown };
		return Boolean(lost) || questions.some((question) => question.checkpoint === null);
	}

	/** Starts the work in a child. */
	begin(): void {
		this.hasYielded = false;
		this.limitTime();
		const child = this.settings.takeChild();
		this.child = child;
		child.onReport((report) => {
			this.hear(child, report);
		});
		child.onPrinted((lines) => {
			this.run.printed(lines);
		});
		child.send(beginOrder(this.run.execution));
		this.limitMemory(child);
		void child.exited.then((exit) => this.reap(exit));
	}

	/** Passes an answer to the child. If that is about to end, another child follows. */
	answered(taskId: string): void {
		if (!this.isOver) void this.passOn(taskId);
	}

	leased(milliseconds: number): void {
		this.child?.send({ type: 'leased', milliseconds: Math.floor(milliseconds) });
	}

	end(): void {
		this.isOver = true;
		this.child?.end();
	}

	private async passOn(taskId: string): Promise<void> {
		if (this.hasYielded) {
			this.hasYielded = false;
			await this.run.regainSlot();
			this.limitTime();
		}
		const { execution } = this.run;
		const task = execution.tasks.find((one) => one.taskId === taskId);
		const answer = task && answerTo(execution, task);
		if (answer) this.child?.send({ type: 'answer', task_id: taskId, ...answer });
	}

	private hear(child: Child, report: ChildReport): void {
		if (this.isOver) return;
		try {
			const told = this.run.report(reportOf(report, this.settings.outputLimit));
			this.follow(report);
			void told.then((isTaken) => {
				if (!isTaken) return;
				this.limitTokens();
				// The child only has to end.
				if (report.type === 'paused') this.run.yieldSlot();
				if ('number' in report) child.send({ type: 'acknowledged', number: report.number });
			});
		} catch (error) {
			this.fail(error instanceof TaskFailure ? error.message : String(error));
		}
	}

	/** Acts on a report of the child. */
	private follow(report: ChildReport): void {
		switch (report.type) {
			case 'question':
				this.awaitPerson(report);
				return;
			case 'failed':
				this.run.explain(report);
				this.isOver = true;
				return;
			case 'crew_done':
			case 'paused':
				this.isOver = true;
				return;
			default:
		}
	}

	/** Stops the clock of the time limit: a person can take any time. */
	private awaitPerson({ checkpoint, works_on }: Report<'question'>): void {
		this.hasYielded = checkpoint === null;
		if (!works_on || this.hasYielded) clearTimeout(this.timer);
		if (this.hasYielded) this.run.yieldSlot();
	}

	private limitTime(): void {
		const { timeLimit } = this.settings;
		if (timeLimit === undefined) return;
		this.timer = setTimeout(() => {
			this.fail(
				`The work took longer than the ${timeLimit / 60_000} minutes that --limit allows, and was stopped.`,
			);
		}, timeLimit);
	}

	private limitTokens(): void {
		const { maxTokens = Infinity } = this.settings;
		const { total_tokens: taken } = this.run.execution.tokenUsage;
		if (taken <= maxTokens) return;
		this.fail(`It used ${taken} tokens, and --max-tokens allows ${maxTokens}.`);
	}

	private limitMemory(child: Child): void {
		const { memoryLimit } = this.settings;
		if (memoryLimit === undefined) return;
		const look = async () => {
			const megabytes = Math.round((child.pid ? await memoryOf(child.pid) : 0) / 1024 ** 2);
			if (megabytes <= memoryLimit || this.child !== child) return;
			this.fail(`Its processes use ${megabytes} MB, and --memory-limit allows ${memoryLimit}.`);
		};
		const timer = setInterval(() => void look(), BETWEEN_LOOKS);
		void child.exited.then(() => {
			clearInterval(timer);
		});
	}

	private fail(error: string): void {
		if (this.isOver) return;
		this.isOver = true;
		void this.run.report({ type: 'failed', error });
		this.child?.end();
	}

	/** Continues with another child if the host has died, and otherwise reports why the child has ended. */
	private async reap(exit: ChildExit): Promise<void> {
		clearTimeout(this.timer);
		// Waits until all its reports are stored.
		await this.run.report();
		const { execution } = this.run;
		if (!this.isOver) {
			if (isWaitingForPerson(execution)) await this.run.report({ type: 'paused' });
			else if (exit.isHostGone && (await this.mayBeginAgain())) {
				this.begin();
				return;
			} else {
				const error = retriesExhausted(this.run.execution) ?? textOfExit(exit);
				await this.run.report({ type: 'failed', error });
			}
		}
		this.isOver = true;
		this.finish();
	}

	/** Whether to continue on another host, now that its own has died. */
	private async mayBeginAgain(): Promise<boolean> {
		this.lostHosts += 1;
		const isTaken = await this.run.report({ type: 'interrupted' });
		// A task may say that it does not run again, or only if a person agrees.
		const isOpen = isTaken && !this.isOver && this.run.execution.state === 'running';
		if (!isOpen) return false;
		return this.lostHosts <= MOST_RETRIES && !retriesExhausted(this.run.execution);
	}
}

/** How a child says that it ends itself because nobody waits for it, see `wire/server.py`. */
const ENDS_ITSELF = 'This process ends itself: ';

/** Why an execution has failed, if its process is gone. */
export function textOfExit({ code, signal, lines, isEnded }: ChildExit): string {
	const how = signal === null ? (code === null ? '' : ` with exit code ${code}`) : ` by ${signal}`;
	const isOurs = isEnded || lines.some((line) => line.startsWith(ENDS_ITSELF));
	const whose = isOurs ? 'was ended by the crew server' : `ended by itself${how}`;
	const why = signal === 'SIGKILL' && !isOurs ? '; perhaps the machine ran out of memory' : '';
	const last = lines.length > 0 ? `\nIts last lines:\n${lines.join('\n')}` : '';
	return `The process of the execution ${whose}${why}.${last}`;
}
