import type { Operation } from './operation';
import { getInputs } from './getInputs';
import { getStatus } from './getStatus';
import { kickoff } from './kickoff';
import { resume } from './resume';
import { stop } from './stop';

/** By the value of the parameter `operation`. */
export const operations: Readonly<Record<string, Operation>> = {
	getInputs,
	kickoff,
	getStatus,
	resume,
	stop,
};
