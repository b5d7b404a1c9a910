import type { CrewDefinition } from '../crew/definition';
import type { FaultPlan } from '../faults/faultPlan';
import type { Journal } from '../store/journal';
import type { Ledger } from './ledger';
import type { RetentionLimits } from './retention';
import type { Worker } from './worker';

/** What executions stand on. */
export interface Foundation {
	crew: CrewDefinition;
	worker: Worker;
	plan: FaultPlan;
	ledger: Ledger;
	journal: Journal;
	retention: RetentionLimits;
	/** Bytes of the largest output that a task may have. */
	outputLimit: number;
}
