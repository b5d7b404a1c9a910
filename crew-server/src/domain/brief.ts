import type { Execution, Question, Task } from './execution';

/** A task without its texts. */
type BriefTask = Omit<
	Task,
	'description' | 'expectedOutput' | 'agent' | 'output' | 'outputJson' | 'checkpoint'
>;

/** A question without its texts; the answer may be missing, but not that there is one. */
interface BriefQuestion extends Pick<Question, 'id' | 'taskId'> {
	readonly answer?: unknown;
}

/** An execution without large fields: enough for its status. A whole execution is also one. */
export interface Brief extends Omit<
	Execution,
	| 'inputs'
	| 'meta'
	| 'callbacks'
	| 'extension'
	| 'checkpoint'
	| 'result'
	| 'lastStep'
	| 'tasks'
	| 'questions'
> {
	readonly tasks: readonly BriefTask[];
	readonly questions: readonly BriefQuestion[];
}
