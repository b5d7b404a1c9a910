import type { Execution } from '../../domain/execution';
import type { CrewDefinition } from '../crew/definition';
import type { Fault } from '../faults/fault';

/** The faults of the work on a task that happen now, of those that are meant; each is counted. */
export type WorkFaults = (
	execution: Execution,
	taskId: string,
	isMeant: (fault: Fault) => boolean,
) => Fault[];

/** What is played, and how. */
export interface PlayedSettings {
	crew: CrewDefinition;
	/** By default, none. */
	workFaults?: WorkFaults;
	/** Bytes of the largest output that a task may have. */
	outputLimit: number;
}
