import nock from 'nock';
import { CREDENTIAL, runCrew } from '../support/engine';

const crew = () =>
	nock(CREDENTIAL.baseUrl, { reqheaders: { authorization: 'Bearer organisation-token' } });

describe('Kickoff', () => {
	it('sends the inputs of each item and returns its kickoff ID', async () => {
		const sent: unknown[] = [];
		crew()
			.post('/kickoff', (body) => Boolean(sent.push(body)))
			.times(2)
			.reply(200, () => ({ kickoff_id: `id-${sent.length}` }));
		const { json, outputs, error } = await runCrew(
			{
				parameters: {
					operation: 'kickoff',
					wait: 'no',
					specifyInputs: 'json',
					inputsJson: '={{ JSON.stringify({ topic: $json.topic }) }}',
					options: { maxParallel: 1, n8nMeta: false },
				},
			},
			{ items: [{ topic: 'bees' }, { topic: 'ants' }] },
		);
		expect(error).toBeUndefined();
		expect(sent).toEqual([{ inputs: { topic: 'bees' } }, { inputs: { topic: 'ants' } }]);
		expect(json).toEqual([
			{ kickoff_id: 'id-1', status: 'started' },
			{ kickoff_id: 'id-2', status: 'started' },
		]);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});
});
