import { readResume, type Resumed } from '../../../nodes/Crew/model/resume';

describe('readResume', () => {
	it.each([
		[
			{ status: 'resumed', message: 'Going on' },
			{ status: 'resumed', message: 'Going on' },
		],
		[
			{ status: 'retrying', message: 'Once more' },
			{ status: 'retrying', message: 'Once more' },
		],
		[{ status: 'completed' }, { status: 'completed', message: undefined }],
		[{ status: ' RESUMED ' }, { status: 'resumed', message: undefined }],
		[
			{ state: 'Resumed', detail: 'ok' },
			{ status: 'resumed', message: 'ok' },
		],
		[
			{ status: 'sleeping', message: 'Zzz' },
			{ status: 'unknown', message: 'Zzz' },
		],
		[{ status: 7 }, { status: 'unknown', message: undefined }],
		[{}, { status: 'unknown', message: undefined }],
		[null, { status: 'unknown', message: undefined }],
	])('reads %j', (body, expected) => {
		expect(readResume(body, 'id-1')).toEqual(expected);
	});

	it.each<[string, unknown, Partial<Resumed>]>([
		['a new ID', { kickoff_id: 'id-2' }, { status: 'started', newId: 'id-2' }],
		['one in camelCase', { kickoffId: ' id-2 ' }, { status: 'started', newId: 'id-2' }],
		['one by its other name', { execution_id: 'id-2' }, { status: 'started', newId: 'id-2' }],
		['one by the shortest name', { id: 'id-2' }, { status: 'started', newId: 'id-2' }],
		['one next to a status', { status: 'retrying', kickoff_id: 'id-2' }, { newId: 'id-2' }],
		[
			'one next to the old one',
			{ kickoff_id: 'id-2', execution_id: 'id-1' },
			{ status: 'started', newId: 'id-2' },
		],
		['the old one', { status: 'resumed', kickoff_id: 'id-1' }, { status: 'resumed' }],
		['only the old one', { execution_id: 'id-1' }, { status: 'unknown' }],
		['one that would lead to another path', { kickoff_id: '../inputs' }, { status: 'unknown' }],
		['another record’s', { status: 'resumed', id: 'event-7' }, { status: 'resumed' }],
	])('knows under which ID the execution continues: %s', (_what, body, expected) => {
		const { status = 'retrying', newId } = expected;
		expect(readResume(body, 'id-1')).toEqual({ status, message: undefined, newId });
	});
});
