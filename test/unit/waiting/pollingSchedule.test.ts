import { refusal } from '../../../nodes/Crew/api/errors';
import { PollingSchedule } from '../../../nodes/Crew/waiting/pollingSchedule';
import type { Watched } from '../../../nodes/Crew/waiting/watched';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const HOUR = 3_600_000;
const failure = refusal('status', { status: 502, headers: {}, body: undefined, text: '' });
const watched = (): Watched => ({ itemIndex: 0, kickoffId: 'id', since: 0, base: {}, failure });

/** Polls this execution for a time; returns the pauses, in milliseconds. */
function play(schedule: PollingSchedule, one: Watched, milliseconds: number): number[] {
	const pauses: number[] = [];
	const end = performance.now() + milliseconds;
	while (performance.now() + schedule.left < end) {
		pauses.push(schedule.left);
		jest.advanceTimersByTime(Math.ceil(schedule.left));
		schedule.note([one]);
	}
	return pauses;
}

describe.each([
	['in addition to callbacks', undefined],
	['by polling', 5_000],
])('a crew that never answers, polled %s', (_what, interval) => {
	it('is eventually polled once an hour, and never more than a tenth too late', () => {
		const schedule = new PollingSchedule(interval);
		const pauses = play(schedule, watched(), 100 * HOUR);
		expect(pauses.length).toBeLessThan(400);
		expect(pauses.at(-1)).toBe(HOUR);
		let away = 0;
		for (const pause of pauses) {
			expect(pause).toBeLessThanOrEqual(Math.max(270_000, away / 10));
			away += Math.ceil(pause);
		}
	});

	it('is polled at the usual pace again once it has answered', () => {
		const schedule = new PollingSchedule(interval);
		play(schedule, watched(), 20 * HOUR);
		jest.advanceTimersByTime(Math.ceil(schedule.left));
		schedule.note([{ ...watched(), failure: undefined }]);
		expect(schedule.left).toBeLessThanOrEqual(270_000);
	});
});
