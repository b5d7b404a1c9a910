import { once } from 'node:events';

import { amountOf, type Fault, type FaultKind } from '../faults/fault';
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
			const isLast = task.name === crew.tasks.at(-1)?.name;
			// An output of some size is the crew's, unless a task is named.
			const isMeant = ({ kind, at }: Fault) => kind !== 'output' || at !== undefined || isLast;
			const faults = plan.take('work', task.name, execution.faults, isMeant);
			const find = (kind: FaultKind) => faults.find((fault) => fault.kind === kind);
			if (find('never-ends')) await once(conditions.signal, 'abort');
			conditions.signal.throwIfAborted();
			if (find('task-fails'))
				throw new TaskFailure(`The task ${task.name} failed as a fault asked.`);
			const output = find('output');
			if (!output) return worker.work(task, assignment, conditions);
			const bytes = amountOf(output);
			refuseHugeOutput(bytes, outputLimit);
			const text = 'x'.repeat(bytes);
			conditions.onStep({ prompt: promptFor(assignment), thought: 'I wrote a lot.', result: text });
			return {
				output: text,
				tokenUsage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
			};
		},
	};
}
