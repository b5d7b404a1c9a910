import { readResume } from '../../../nodes/Crew/model/resume';

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
		expect(readResume(body)).toEqual(expected);
	});
});
