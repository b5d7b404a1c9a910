import { openStore } from '../../../crew-server/src/store/openStore';
import { clockThatPasses } from './support/clock';
import { keepsTheContract } from './support/contract';

keepsTheContract(async (settings) => {
	const { clock, pass } = clockThatPasses();
	const store = await openStore({ ...settings, clock });
	return { store, pass, reopen: () => Promise.resolve(), close: () => store.close() };
});
