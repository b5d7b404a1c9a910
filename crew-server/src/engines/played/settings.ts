import type { CrewDefinition } from '../../crew/definition';
import type { FaultPlan } from '../../faults/faultPlan';

/** What is played, and how. */
export interface PlayedSettings {
	crew: CrewDefinition;
	/** Faults that befall the work. */
	plan: FaultPlan;
	/** Bytes of the largest output that a task may have. */
	outputLimit: number;
}
