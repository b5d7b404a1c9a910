import type { FleetWork } from './fleet';
import type { RoundSettings } from './round';

/** What a fleet does, and what is to come of it. */
export interface Work {
	fleet: FleetWork;
	round: Pick<RoundSettings, 'inputs' | 'asks' | 'promised'>;
	close(): Promise<void>;
}
