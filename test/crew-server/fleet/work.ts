import type { FleetWork } from './fleet';
import type { RoundSettings } from './round';

/** The work of a fleet, and its promises. */
export interface Work {
	fleet: FleetWork;
	round: Pick<RoundSettings, 'inputs' | 'asks' | 'promised'>;
	close(): Promise<void>;
}
