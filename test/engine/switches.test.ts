import { ParkedExecution } from '../support/parkedExecution';
import type { StoredWait } from '../../nodes/Crew/waiting/storedWait';
import { endAllPollers } from '../../nodes/Crew/waiting/backgroundPoller';
import { callTrigger } from '../support/triggerCall';
import { POLLED, WAIT, WaitingCrew } from '../support/waitingCrew';

afterEach(() => {
	endAllPollers();
});

/** Lets an execution wait, and returns what was stored with it. */
async function park(parameters: object, options: object = {}) {
	const crew = new WaitingCrew();
	const all = { ...WAIT, ...parameters, options: { ...WAIT.options, ...options } };
	const credential = { baseUrl: crew.baseUrl };
	const { shown } = await ParkedExecution.park({ parameters: all }, { credential });
	const { contextData } = shown.run.data.executionData!;
	const wait = JSON.parse(String(contextData['node:Crew']!.crewWait)) as StoredWait;
	return { crew, wait, limit: wait.endsAt - Date.now() };
}

const HOUR = 3_600_000;

describe('a switch whose expression gives', () => {
	it.each(['={{ $json.nothing }}', '={{ null }}', '={{ "" }}', '={{ "true" }}'])(
		'nothing, or true as text, limits the time: %s',
		async (limitWaitTime) => {
			const { limit } = await park({ limitWaitTime });
			expect(limit).toBeLessThanOrEqual(HOUR);
		},
	);

	it('false as text does not limit the time', async () => {
		const { limit } = await park({ limitWaitTime: '={{ "false" }}' });
		expect(limit).toBeGreaterThan(24 * HOUR);
	});

	it('false as text neither keeps the execution running nor subscribes to failures', async () => {
		const off = '={{ "false" }}';
		const { crew, wait } = await park({}, { hold: off, failureEvents: off, simplify: off });
		expect(crew.kickoffs[0]).not.toHaveProperty('webhooks');
		expect(wait.isSimple).toBe(false);
	});

	it('nothing subscribes to failures and simplifies', async () => {
		const none = '={{ $json.nothing }}';
		const { crew, wait } = await park({}, { hold: none, failureEvents: none, simplify: none });
		expect(crew.kickoffs[0]).toHaveProperty('webhooks');
		expect(wait.isSimple).toBe(true);
	});

	it('false as text sends no workflow details', async () => {
		const { crew } = await park({}, { n8nMeta: '={{ "false" }}' });
		expect(crew.kickoffs[0]).not.toHaveProperty('meta');
	});

	it('false as text joins the events of a request', async () => {
		const parameters = { options: { splitEvents: '={{ "false" }}' } };
		const body = { events: [1, 2].map((id) => ({ type: 'a', data: {}, id })) };
		const { items } = await callTrigger({ body, parameters });
		expect(items).toHaveLength(1);
	});
});

it('a unit is also taken as the panel shows it, e.g. from a form', async () => {
	const { limit } = await park({ resumeAmount: 30, resumeUnit: '={{ "Minutes" }}' });
	expect(limit).toBeLessThanOrEqual(HOUR / 2);
});

it.each([
	['={{ Infinity }}', 24 * HOUR],
	['={{ 1e300 * 1e300 }}', 24 * HOUR],
	[1e308, 24 * HOUR],
	['={{ NaN }}', 5_000],
	['={{ -1 }}', 5_000],
	['={{ $json.nothing }}', 5_000],
	['={{ "10" }}', 10_000],
])('a Poll Interval of %s is stored as a time', async (pollInterval, expected) => {
	const { wait } = await park({}, { ...POLLED.options, pollInterval });
	expect(wait.pollInterval).toBe(expected);
});
