import { checkKill, prepareKills } from './support/kills';

const HOURS = 3_600_000;

prepareKills();

it.each([
	['server', 'entry'],
	['server', 'message'],
	['host', 'entry'],
	['host', 'message'],
	['child', 'entry'],
	['child', 'message'],
] as const)(
	'loses nothing and does nothing twice if the %s is killed, at each %s',
	async (what, on) => {
		const broken: unknown[] = [];
		let wasKilled = true;
		let at = 0;
		while (wasKilled && broken.length < 5) {
			at += 1;
			wasKilled = await checkKill({ what, on, at }).catch((error: unknown) => {
				broken.push([at, error]);
				return true;
			});
		}
		expect(broken).toEqual([]);
		console.log(`${at - 1} kills of the ${what}, at each ${on}`);
	},
	2 * HOURS,
);
