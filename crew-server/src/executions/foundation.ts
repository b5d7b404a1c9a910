import type { Log } from '../log';
import type { Journal } from '../store/journal';
import type { Engine } from './engine';
import type { Ledger } from './ledger';
import type { RetentionLimits } from './retention';

/** What executions stand on. */
export interface Foundation {
	engine: Engine;
	ledger: Ledger;
	journal: Journal;
	log: Log;
	retention: RetentionLimits;
}
