import { sleep } from 'n8n-workflow';
import nock from 'nock';
import { endAllPollers } from '../../nodes/Crew/waiting/backgroundPoller';
import { inFastTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { completeAt, MINUTE, runWait } from '../support/waitInN8n';
import { numbered, WAIT, WaitingCrew } from '../support/waitingCrew';

const PARAMETERS = { ...WAIT, resumeAmount: 1, resumeUnit: 'minutes' };

it('the limit is never early, and kept within 5 s with 100 items whose status takes 200 ms', async () => {
	const crew = new WaitingCrew();
	crew.statusDelay = 200;
	const half = numbered(50).map(({ n }) => 2 * n);
	const { resumed, waited } = await runWait(crew, PARAMETERS, {
		items: numbered(100),
		meanwhile: completeAt(crew, 50_000, ...half),
		speed: 50,
	});
	expect(waited).toBeGreaterThanOrEqual(MINUTE);
	expect(waited).toBeLessThanOrEqual(MINUTE + 5_000);
	expect(resumed?.json.map(({ status }) => status)).toEqual(
		numbered(100).map(({ n }) => (n % 2 === 0 ? 'completed' : 'timed_out')),
	);
});

it('the limit has all results of 40 waits that reach it together, at a crew with one answer a second', async () => {
	const crew = new WaitingCrew();
	const items = numbered(40);
	const statuses: unknown[] = [];
	const parameters = { ...PARAMETERS, options: { ...WAIT.options, maxParallel: 1 } };
	await inFastTime(async () => {
		for (const item of items) {
			const n8nUrl = `https://n8n-${item.n}-of-many.example.com`;
			const options = { items: [item], credential: { baseUrl: crew.baseUrl }, n8nUrl };
			const parked = await ParkedExecution.park({ parameters }, options);
			nock(n8nUrl)
				.post(/^\/webhook-waiting\//)
				.reply(async (path, body) => {
					const { status, answer, resumed } = await parked.call(n8nUrl + path, { body });
					if (resumed) statuses.push(resumed.json[0]?.status);
					return [status, answer as nock.Body];
				});
		}
		await sleep(40_000);
		crew.complete(...items.map(({ n }) => n));
		crew.statusDelay = 1_000;
		const end = performance.now() + 3 * MINUTE;
		while (statuses.length < items.length && performance.now() < end) await sleep(1_000);
		endAllPollers();
	});
	expect(statuses).toEqual(items.map(() => 'completed'));
});
