import { checkKill, prepareKills, type Kill } from './support/kills';

prepareKills();

const SAMPLE: Kill[] = [
	{ what: 'server', on: 'entry', at: 14 },
	{ what: 'host', on: 'message', at: 14 },
	{ what: 'child', on: 'message', at: 5 },
];

it.each(SAMPLE)('loses nothing and does nothing twice: %j', async (kill) => {
	expect(await checkKill(kill)).toBe(true);
});
