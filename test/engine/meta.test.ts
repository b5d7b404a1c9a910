import { runCrew } from '../support/engine';
import { numbered, WaitingCrew } from '../support/waitingCrew';

/** Kicks off with these options and returns the `meta` that was sent for each item. */
async function metaWith(options: Record<string, unknown>, count = 1) {
	const crew = new WaitingCrew();
	const parameters = {
		operation: 'kickoff',
		wait: 'no',
		specifyInputs: 'json',
		inputsJson: '={{ JSON.stringify({ n: $json.n }) }}',
		options: { maxParallel: 1, ...options },
	};
	const { error } = await runCrew(
		{ parameters },
		{ items: numbered(count), credential: { baseUrl: crew.baseUrl } },
	);
	return { sent: crew.kickoffs.map(({ meta }) => meta), error };
}

const origin = (item: number) => ({
	workflow: { id: 'workflow-1', name: 'Engine test' },
	execution: 'execution-1',
	node: 'Crew',
	item,
});

describe('meta', () => {
	it('contains the workflow, execution, node and item by default', async () => {
		expect((await metaWith({}, 2)).sent).toEqual([{ n8n: origin(0) }, { n8n: origin(1) }]);
	});

	it.each<[string, Record<string, unknown>, unknown]>([
		['is merged with an object', { meta: '{"customer":42}' }, { customer: 42, n8n: origin(0) }],
		['is read from the item', { meta: '={{ { place: $json.n } }}' }, { place: 0, n8n: origin(0) }],
		[
			'leaves what the user says of n8n as it is',
			{ meta: '{"n8n":{"item":"mine","more":1}}' },
			{ n8n: { ...origin(0), item: 'mine', more: 1 } },
		],
		['leaves another value under that name as it is', { meta: '{"n8n":"mine"}' }, { n8n: 'mine' }],
		['is the user’s alone', { meta: '{"customer":42}', n8nMeta: false }, { customer: 42 }],
		['is not sent where it is empty', { n8nMeta: false }, undefined],
	])('%s', async (_what, options, meta) => {
		expect((await metaWith(options)).sent).toEqual([meta]);
	});

	it.each([
		['list', '[1]'],
		['date', '={{ $now }}'],
	])('is refused before anything is sent if it is a %s', async (_what, notAnObject) => {
		const { sent, error } = await metaWith({ meta: notAnObject });
		expect(error?.message).toBe('Meta is not a JSON object');
		expect(sent).toEqual([]);
	});
});
