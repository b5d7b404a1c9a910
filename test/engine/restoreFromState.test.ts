import { runCrew } from '../support/engine';
import { PlatformCrew } from '../support/platformCrew';

const EXPRESSION = '={{ $json.kickoff_id }}';

async function kickoff(restoreFromStateId: string, items = [{}], rounds = 1) {
	const crew = new PlatformCrew();
	const { json, error } = await runCrew(
		{
			parameters: {
				operation: 'kickoff',
				specifyInputs: 'json',
				inputsJson: '{"message": "Hello"}',
				wait: 'no',
				options: { n8nMeta: false, restoreFromStateId },
			},
		},
		{ items, rounds, credential: { baseUrl: crew.baseUrl } },
	);
	return { bodies: crew.kickoffs, json, error };
}

const inputs = { message: 'Hello' };

describe('Restore From State ID', () => {
	it('continues a conversation from run to run', async () => {
		const { bodies, json } = await kickoff(EXPRESSION, [{}], 3);
		expect(bodies).toEqual([
			{ inputs },
			{ inputs, restoreFromStateId: 'run-1' },
			{ inputs, restoreFromStateId: 'run-2' },
		]);
		expect(json).toEqual([{ kickoff_id: 'run-3', status: 'started' }]);
	});

	it.each([
		['empty', ''],
		['blank', ' '],
		['null', '={{ null }}'],
		['an expression without a value', EXPRESSION],
	])('is not sent if it is %s', async (_what, value) => {
		expect((await kickoff(value)).bodies).toEqual([{ inputs }]);
	});

	it.each([
		['text with spaces around it', ' run-7 ', 'run-7'],
		['a number', '={{ 7 }}', '7'],
	])('is sent as text if it is %s', async (_what, value, restoreFromStateId) => {
		expect((await kickoff(value)).bodies).toEqual([{ inputs, restoreFromStateId }]);
	});

	it('is refused by name before anything is sent if it is not an ID', async () => {
		const { bodies, error } = await kickoff('a/b');
		expect(error?.message).toBe('Restore From State ID has a "/" or ".."');
		expect(bodies).toEqual([]);
	});
});
