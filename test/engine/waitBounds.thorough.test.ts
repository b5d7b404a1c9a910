import { sleep } from 'n8n-workflow';
import nock from 'nock';
import { endAllPollers, findPoller } from '../../nodes/Crew/waiting/backgroundPoller';
import { inFastTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { MINUTE, runWait } from '../support/waitInN8n';
import { idOf, numbered, POLLED, WAIT, WaitingCrew } from '../support/waitingCrew';

describe('what is gathered and reported is limited for all waits', () => {
	const LARGE = 9_000_000;

	/** Lets these executions complete with more than half of what is kept. */
	function endLarge(crew: WaitingCrew, count: number): void {
		const completed = { status: 'completed', result: { output: '.'.repeat(LARGE) } };
		for (const { n } of numbered(count)) crew.answers.set(idOf(n), [200, completed]);
	}

	it('even while a crew takes its time to answer after a callback', async () => {
		const crew = new WaitingCrew();
		crew.statusDelay = 15_000;
		let kept = 0;
		await runWait(
			crew,
			{ ...WAIT, resumeAmount: 10, resumeUnit: 'minutes' },
			{
				items: numbered(4),
				meanwhile: (parked) => {
					for (const { n } of numbered(4)) {
						const body = { kickoff_id: idOf(n), result: '.'.repeat(LARGE) };
						void parked.call(crew.urls(n).crew, { body });
					}
					setTimeout(() => {
						const waitId = new URL(crew.urls().crew).searchParams.get('wait') ?? '';
						const { all } = findPoller(waitId)!;
						for (const { told } of all) kept += (told?.execution.output ?? '').length;
					}, 10_000);
				},
				forAtMost: 11_000,
			},
		);
		expect(kept).toBe(LARGE);
	});

	it('and a crew that does not answer does not block others', async () => {
		const [away, well] = [new WaitingCrew(), new WaitingCrew()];
		const n8nUrl = 'https://n8n-of-another.example.com';
		const outcome = { ended: 0, status: undefined as unknown };
		await runWait(away, WAIT, {
			items: numbered(3),
			meanwhile: (parked) => {
				endLarge(away, 2);
				away.answerWith(idOf(2), () => {
					away.brokenUntil = Infinity;
					return [200, { status: 'completed' }];
				});
				for (const { n } of numbered(3)) {
					const body = { kickoff_id: idOf(n), result: 'Done' };
					setTimeout(() => void parked.call(away.urls(n).crew, { body }), 5_000 + 5_000 * n);
				}
				setTimeout(() => void waitForWell(), 40_000);
			},
			forAtMost: 30 * MINUTE,
		});

		async function waitForWell() {
			const credential = { baseUrl: well.baseUrl };
			const parked = await ParkedExecution.park({ parameters: WAIT }, { credential, n8nUrl });
			const begun = Date.now();
			endLarge(well, 1);
			nock(n8nUrl)
				.persist()
				.post(/^\/webhook-waiting\//)
				.reply(async (path, body) => {
					const { status, answer, resumed } = await parked.call(`${n8nUrl}${path}`, { body });
					if (resumed) outcome.ended ||= Date.now() - begun;
					outcome.status ??= resumed?.json[0]?.status;
					return [status, answer as nock.Body];
				});
		}

		expect(outcome.status).toBe('completed');
		expect(outcome.ended).toBeLessThan(5 * MINUTE);
	});
});

it('Max Parallel Requests applies to the checks of all waiting executions together', async () => {
	const crew = new WaitingCrew();
	crew.statusDelay = 1_000;
	const options = { ...POLLED.options, maxParallel: 2 };
	const credential = { baseUrl: crew.baseUrl };
	await inFastTime(async () => {
		for (let wait = 0; wait < 5; wait++) {
			await ParkedExecution.park({ parameters: { ...POLLED, options } }, { credential });
		}
		await sleep(MINUTE);
		endAllPollers();
	});
	expect(crew.asked.length).toBeGreaterThan(20);
	expect(crew.mostAtOnce).toBe(2);
});
