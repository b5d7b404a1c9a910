import { idProblem, readKickoffId } from '../../../nodes/Crew/model/kickoff';

const UUID = '0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d';

describe('readKickoffId', () => {
	it.each([
		['kickoff_id', { kickoff_id: UUID }, UUID],
		['id', { id: UUID, status: 'queued' }, UUID],
		['kickoffId', { kickoffId: UUID }, UUID],
		['execution_id', { execution_id: UUID }, UUID],
		['a number', { kickoff_id: 42 }, '42'],
		['kickoff_id before any other id', { id: 'request-7', kickoff_id: 42 }, '42'],
		['nothing in null', { kickoff_id: null }, undefined],
		['nothing in blanks', { kickoff_id: '  ' }, undefined],
		['nothing in an object', { kickoff_id: { value: UUID } }, undefined],
		['nothing in a number that has lost digits', { kickoff_id: 1e21 }, undefined],
		['nothing in a list', [UUID], undefined],
		['nothing in nothing', undefined, undefined],
	])('reads %s', (_what, body, expected) => {
		expect(readKickoffId(body)).toBe(expected);
	});
});

describe('idProblem', () => {
	it.each([UUID, ' padded ', 42, 'a.b', 'a%2fb', 'a?b', 'a#b', 'a b', 'héllo', '执行', '👩‍🚀'])(
		'finds none in %j',
		(id) => {
			expect(idProblem(id)).toBeUndefined();
		},
	);

	it.each([
		['', 'is empty'],
		['  ', 'is empty'],
		[undefined, 'is empty'],
		[null, 'is empty'],
		[{}, 'is empty'],
		['a\u0000b', 'has a control character'],
		['a\r\nb', 'has a control character'],
		['a\u007fb', 'has a control character'],
		['a/b', 'has a "/" or ".."'],
		['a\\b', 'has a "/" or ".."'],
		['..', 'has a "/" or ".."'],
		['.', 'has a "/" or ".."'],
		['a..b', 'has a "/" or ".."'],
		['\uD800', 'has half a character'],
		[2 ** 53, 'is a number that has lost digits: it has to be text'],
		[1.5, 'is a number that has lost digits: it has to be text'],
		[NaN, 'is a number that has lost digits: it has to be text'],
	])('says of %j that it %s', (id, problem) => {
		expect(idProblem(id)).toBe(problem);
	});
});
