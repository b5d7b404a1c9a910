import type { CrewDescription } from './crew';
import type { Output, Question, Step, TaskTexts, TokenUsage } from './execution';
import type { CallbackTargets } from './targets';

/** What a client asks for. */
export type Command =
	| {
			type: 'answer';
			/** A task's name or UUID. */
			taskId: string;
			/** Which of the questions about the task is meant (default: the open one). */
			questionId?: number;
			feedback: string;
			isApprove: boolean;
			/** They replace those from kickoff: a target that is not here is no longer called. */
			callbacks: CallbackTargets;
			/** The execution's new identifier, if it gets one. */
			newId?: string;
			/** Whether an approved output needs nothing more from the engine. */
			isFinal?: boolean;
	  }
	/** A client has read the question. */
	| { type: 'told' }
	| { type: 'stop' };

/** What an engine reports about an execution, in order. */
export type Report =
	/** What it needs to continue after a question or the end of a process. */
	| { type: 'checkpoint'; checkpoint: unknown }
	| { type: 'task_begun'; taskId: string; texts?: TaskTexts }
	| { type: 'step'; step: Step }
	/** A model has been called. */
	| { type: 'tokens'; usage: TokenUsage }
	/** An event other than those of tasks and of the crew, which follow from the other reports. */
	| { type: 'event'; name: string; data: Record<string, unknown> }
	/** A task has written a file. */
	| { type: 'file_written' }
	| ({ type: 'question'; taskId: string } & Pick<Question, 'reason' | 'checkpoint' | 'isBlocking'> &
			Output)
	/** Nothing runs until a person answers. */
	| { type: 'paused' }
	/** A task is skipped, since its condition is not met. */
	| { type: 'task_skipped'; taskId: string }
	| ({ type: 'task_done'; taskId: string; checkpoint?: unknown; texts?: TaskTexts } & Output)
	/** The output of a task cannot be used. */
	| { type: 'task_lost'; taskId: string; error: string }
	/** `result`: the crew's result, if it is not the last task's output. */
	| { type: 'crew_done'; result?: Output }
	| { type: 'failed'; error: string }
	/** The process that did the work, or its lease, has ended: tasks that had begun and not ended start again. */
	| { type: 'interrupted' }
	/** The crew has other tasks than at the kickoff, and none had begun. */
	| { type: 'planned_anew'; crew: CrewDescription; taskUuids: readonly string[] }
	/** The work was stopped cleanly, and continues later. */
	| { type: 'requeued' };
