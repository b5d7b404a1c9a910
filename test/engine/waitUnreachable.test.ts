import nock from 'nock';
import { runCrew } from '../support/engine';
import { stopTime } from '../support/fastTime';
import { WAIT_FOR_CALLBACK, WaitingCrew } from '../support/waitingCrew';

const RESUME = {
	operation: 'resume',
	executionId: 'id-0',
	taskId: 'write',
	isApprove: true,
	humanFeedback: '',
	wait: 'callback',
};

beforeEach(stopTime);
afterEach(() => jest.useRealTimers());

describe('waiting for a callback that cannot arrive', () => {
	it.each([
		['http://localhost:5678', 'known to its own machine only'],
		['http://127.0.0.1:5678', 'known to its own machine only'],
		['http://[::1]:5678', 'known to its own machine only'],
		['http://192.168.1.20:5678', 'known in its own network only'],
		['http://n8n.local:5678', 'known in its own network only'],
		['http://n8n:5678', 'known in its own network only'],
		// A system's code in the name, for which n8n has words of its own.
		['http://freeaccess.local:5678', 'known in its own network only'],
	])('is refused before anything is sent, with n8n at %s', async (n8nUrl, where) => {
		for (const parameters of [WAIT_FOR_CALLBACK, RESUME]) {
			const crew = new WaitingCrew();
			const { error } = await runCrew(
				{ parameters },
				{ n8nUrl, credential: { baseUrl: crew.baseUrl } },
			);
			expect(error?.message).toMatch(/^The crew cannot call back: /);
			expect(error?.message).toContain(`webhook address ${n8nUrl} is ${where}`);
			expect(error?.description).toMatch(
				/Set the environment variable N8N_WEBHOOK_URL .* Nothing was/,
			);
			expect([...crew.kickoffs, ...crew.resumes]).toEqual([]);
		}
	});

	it.each([
		['the crew is on the same machine', 'http://localhost:4000', 'http://localhost:5678'],
		['the crew is in the same network', 'http://10.0.0.7', 'http://192.168.1.20:5678'],
		['n8n is public', 'http://localhost:4000', 'https://n8n.example.com'],
	])('is taken on where %s', async (_what, baseUrl, n8nUrl) => {
		nock(baseUrl).post('/kickoff').reply(200, { kickoff_id: 'id-0' });
		const { run } = await runCrew(
			{ parameters: WAIT_FOR_CALLBACK },
			{ n8nUrl, credential: { baseUrl } },
		);
		expect(run.status).toBe('waiting');
	});
});
