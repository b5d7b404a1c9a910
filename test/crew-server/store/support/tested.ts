import type { StoreSettings } from '../../../../crew-server/src/store/openStore';
import type { Store } from '../../../../crew-server/src/store/store';

/** A store that is being tested. */
export interface Tested {
	readonly store: Store;
	/** Forgets what it has at hand, if it keeps anything beyond that. */
	reopen(): Promise<void>;
	/** Moves its clock ahead. */
	pass(milliseconds: number): Promise<void>;
	close(): Promise<void>;
}

export type OpenTested = (settings?: Pick<StoreSettings, 'retention'>) => Promise<Tested>;
