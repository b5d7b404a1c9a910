import { checkKill, prepareKills, type Kill } from './support/kills';

prepareKills();

/** A sample of killsOf*.thorough.test.ts: soon after the kickoff, in each task, before and after questions. */
const SAMPLE: Kill[] = [
	{ what: 'server', on: 'entry', at: 1 },
	{ what: 'server', on: 'entry', at: 14 },
	{ what: 'server', on: 'message', at: 30 },
	{ what: 'host', on: 'message', at: 14 },
	{ what: 'host', on: 'entry', at: 25 },
	{ what: 'child', on: 'message', at: 12 },
	{ what: 'child', on: 'entry', at: 20 },
];

it.each(SAMPLE)('loses nothing and does nothing twice: %j', async (kill) => {
	expect(await checkKill(kill)).toBe(true);
});
