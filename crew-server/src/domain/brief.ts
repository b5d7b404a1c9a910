import type { Execution, Question, Task } from './execution';

/** A task without its texts. */
type BriefTask = Omit<
	Task,
	'description' | 'expectedOutput' | 'agent' | 'output' | 'outputJson' | 'checkpoint'
>;

/** A question without its texts; what was answered may be missing, but not that it was. */
interface BriefQuestion extends Pick<Question, 'id' | 'taskId'> {
	readonly answer?: unknown;
}

/** An execution without what may be large: enough to say where it stands. Any whole one is one, too. */
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
