import { reportPage } from '../../soak/reportPage';

test('a report says when, how long and with which seed it was made', () => {
	const run = { date: '2026-11-22', minutes: 10, seed: 7, machine: 'Node v20, 2 x CPU' };
	const page = reportPage('attack', run, ['| a |', '| --- |']);
	expect(page).toMatch(/^# A trigger under attack\n\n/);
	expect(page).toContain(
		'2026-11-22: `npm run test:soak -- --only attack`, 10 minutes, seed 7, Node v20, 2 x CPU.\n\n| a |\n| --- |\n',
	);
});
