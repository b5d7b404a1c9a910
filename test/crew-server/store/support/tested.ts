import type { StoreSettings } from '../../../../crew-server/src/store/openStore';
import type { ServerIdentity } from '../../../../crew-server/src/store/serverTable';
import type { Store } from '../../../../crew-server/src/store/store';

/** A store that is being tested. */
export interface Tested {
	readonly store: Store;
	/** Closes and opens it again, if it keeps anything beyond that. @param server the server that opens it */
	reopen(server?: ServerIdentity): Promise<void>;
	/** Moves its clock. */
	pass(milliseconds: number): Promise<void>;
	close(): Promise<void>;
}

export type OpenTested = (settings?: Pick<StoreSettings, 'retention'>) => Promise<Tested>;
