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
			/** They take the place of those that kickoff gave: what is not here is no longer called. */
			callbacks: CallbackTargets;
			/** What the execution is called from then on, unless it stays as it is. */
			newId?: string;
			/** Whether an approved output needs nothing more from the engine. */
			isFinal?: boolean;
	  }
	/** A client has read what is asked. */
	| { type: 'told' }
	| { type: 'stop' };

/** What an engine tells of an execution, in the order in which it happens. */
export type Report =
	/** What it needs to go on after a question or the end of a process. */
	| { type: 'checkpoint'; checkpoint: unknown }
	| { type: 'task_begun'; taskId: string; texts?: TaskTexts }
	| { type: 'step'; step: Step }
	/** A model has been called. */
	| { type: 'tokens'; usage: TokenUsage }
	/** An event beside those of tasks and of the crew, which follow from the other reports. */
	| { type: 'event'; name: string; data: Record<string, unknown> }
	/** A task has written a file. */
	| { type: 'file_written' }
	| ({ type: 'question'; taskId: string } & Pick<Question, 'reason' | 'checkpoint' | 'isBlocking'> &
			Output)
	/** Nothing is worked on until a person answers. */
	| { type: 'paused' }
	/** A task is not done, since its condition does not hold. */
	| { type: 'task_skipped'; taskId: string }
	| ({ type: 'task_done'; taskId: string; checkpoint?: unknown; texts?: TaskTexts } & Output)
	/** The output of a task cannot be used. */
	| { type: 'task_lost'; taskId: string; error: string }
	/** `result`: what the crew came up with, if it is not the last task's output. */
	| { type: 'crew_done'; result?: Output }
	| { type: 'failed'; error: string }
	/** The process that did the work has ended, or its lease: what was begun and is not done is begun again. */
	| { type: 'interrupted' }
	/** The crew has other tasks than at the kickoff, and none was begun. */
	| { type: 'planned_anew'; crew: CrewDescription; taskUuids: readonly string[] }
	/** The work was ended in good order, and goes on later. */
	| { type: 'requeued' };
