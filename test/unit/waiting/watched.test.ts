import { CrewApiError } from '../../../nodes/Crew/api/errors';
import { ask, hear, isOver, type Watched } from '../../../nodes/Crew/waiting/watched';

const HALF_A_MINUTE = 30_000;

const away = { getStatusOnce: () => Promise.reject(new CrewApiError('502', AWAY)) };
const AWAY = { description: '', httpCode: 502, transient: true };

describe('what a callback said', () => {
	beforeEach(() => {
		jest.useFakeTimers();
	});
	afterEach(() => {
		jest.useRealTimers();
	});

	it('counts once the crew could not be asked for half a minute, however late it was asked first', async () => {
		const one: Watched = { itemIndex: 0, kickoffId: 'id', since: 0, base: {} };
		hear(one, { status: 'completed', output: 'Told' }, false);
		jest.advanceTimersByTime(2 * HALF_A_MINUTE);

		await ask(away, one);
		expect(isOver(one)).toBe(false);

		jest.advanceTimersByTime(HALF_A_MINUTE);
		await ask(away, one);
		expect(one.execution).toMatchObject({ status: 'completed', output: 'Told' });
	});
});
