import { once } from 'node:events';

import type { Execution } from '../../domain/execution';
import { refuseHugeOutput, TaskFailure } from '../../worker/taskFailure';
import type { CrewTask } from '../crew/definition';
import { amountOf, type Fault, type FaultKind } from '../faults/fault';
import type { Assignment } from './assignment';
import { playTask, type WorkConditions, type WorkResult } from './playTask';
import type { PlayedSettings } from './settings';

/** Plays a task, with its planned faults. */
export async function workWithFaults(
	{ workFaults, outputLimit, crew }: PlayedSettings,
	execution: Execution,
	task: CrewTask,
	assignment: Assignment,
	conditions: WorkConditions,
): Promise<WorkResult> {
	const isLast = task.name === crew.tasks.at(-1)?.name;
	// A fault for the size of the output means the crew's output, unless it names a task.
	const isMeant = ({ kind, at }: Fault) => kind !== 'output' || at !== undefined || isLast;
	const faults = workFaults?.(execution, task.name, isMeant) ?? [];
	const find = (kind: FaultKind) => faults.find((fault) => fault.kind === kind);
	if (find('never-ends')) await once(conditions.signal, 'abort');
	conditions.signal.throwIfAborted();
	if (find('task-fails'))
		throw new TaskFailure(`The task ${task.name} failed because of a planned fault.`);
	const output = find('output');
	if (!output) return playTask(task, assignment, conditions);
	const bytes = amountOf(output);
	refuseHugeOutput(bytes, outputLimit);
	const text = 'x'.repeat(bytes);
	await conditions.onStep({ prompt: assignment.prompt, thought: 'I wrote a lot.', result: text });
	return {
		output: text,
		tokenUsage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
	};
}
