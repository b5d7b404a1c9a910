import { textOfExit } from '../../crew-server/src/worker/crewai/crewWork';

const killed = { code: null, signal: 'SIGKILL', lines: [], isHostGone: false, isEnded: false };
const ENDS = 'This process ends itself: the crew server has closed the connection';

it('says that memory may be the reason if the system has killed a process', () => {
	expect(textOfExit(killed)).toBe(
		'The process of the execution ended by itself by SIGKILL; perhaps the machine ran out of memory.',
	);
	expect(textOfExit({ ...killed, code: 7, signal: null, lines: ['a', 'b'] })).toBe(
		'The process of the execution ended by itself with exit code 7.\nIts last lines:\na\nb',
	);
});

it.each([
	['which it was told to', { ...killed, isEnded: true, lines: ['It closed its connection.'] }],
	['by itself, as nobody waits for it', { ...killed, lines: [ENDS] }],
])('does not say so if a process ends %s', (_what, exit) => {
	expect(textOfExit(exit)).toBe(
		`The process of the execution was ended by the crew server.\nIts last lines:\n${exit.lines[0]}`,
	);
});
