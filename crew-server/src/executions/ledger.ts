import type { DueCallback } from '../callbacks/callback';
import type { FaultPlan } from '../faults/faultPlan';
import type { Journal } from '../store/journal';
import type { ExecutionRecord } from './record';

/** Takes note of what executions do: first in the journal, then to those who asked to be called. */
export class Ledger {
	constructor(
		private readonly journal: Journal,
		private readonly plan: FaultPlan,
		private readonly send: (callbacks: readonly DueCallback[]) => void,
		private readonly onChange: () => void,
	) {}

	/** @returns once the journal has it; the callbacks are sent from then on */
	note(execution: ExecutionRecord, callbacks: readonly DueCallback[] = []): Promise<void> {
		for (const due of callbacks) {
			const faults = this.plan.take('callback', due.kind, execution.faults);
			if (faults.length > 0) due.faults = faults.map((fault) => ({ ...fault }));
		}
		this.onChange();
		// Where the journal cannot write, callbacks are sent all the same: clients wait for them.
		return this.journal.note(execution, callbacks).finally(() => {
			this.send(callbacks);
		});
	}
}
