import { once } from 'node:events';

import { promptFor } from './prompt';
import type { Foundation } from './foundation';
import type { ExecutionRecord } from './record';
import { refuseHugeOutput, TaskFailure, type Worker } from './worker';

/** The deployment's worker, with the faults in its way that are planned for the execution's tasks. */
export function faultyWorker(
	{ worker, plan, outputLimit, crew }: Pick<Foundation, 'worker' | 'plan' | 'outputLimit' | 'crew'>,
	execution: ExecutionRecord,
): Worker {
	return {
		async work(task, assignment, conditions) {
			const faults = plan.take('work', task.name, execution.faults);
			const find = (kind: string) => faults.find((fault) => fault.kind === kind);
			if (find('never-ends')) await once(conditions.signal, 'abort');
			conditions.signal.throwIfAborted();
			if (find('task-fails'))
				throw new TaskFailure(`The task ${task.name} failed as a fault asked.`);
			const output = find('output');
			const isMeant = output?.at !== undefined || task.name === crew.tasks.at(-1)?.name;
			if (output?.value === undefined || !isMeant) {
				return worker.work(task, assignment, conditions);
			}
			refuseHugeOutput(output.value, outputLimit);
			const text = 'x'.repeat(output.value);
			conditions.onStep({ prompt: promptFor(assignment), thought: 'I wrote a lot.', result: text });
			return {
				output: text,
				tokenUsage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
			};
		},
	};
}
