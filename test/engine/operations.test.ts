import { NOT_FOUND_MEANS } from '../../nodes/Crew/model/execution';
import { answerOperation, newBaseUrl } from '../support/crewMock';
import { DIALECTS, KICKOFF_ID, OPERATION_NAMES, OPERATIONS } from '../support/crewOperations';
import { runCrew } from '../support/engine';

describe.each(DIALECTS)('a crew with the $name dialect', (dialect) => {
	it.each(OPERATION_NAMES)('%s returns its items', async (operation) => {
		const baseUrl = newBaseUrl();
		const { answer, items } = dialect.successes[operation];
		answerOperation(baseUrl, dialect, operation, () => [200, answer]);
		const { json, outputs, error } = await runCrew(
			{ parameters: OPERATIONS[operation] },
			{ credential: { baseUrl } },
		);
		expect(error).toBeUndefined();
		expect(json).toEqual(items);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(items.map(() => ({ item: 0 })));
	});

	it.each<[string, [number, unknown]]>([
		['404', [404, dialect.refusal('Execution not found')]],
		['the word for it', [200, { state: 'NOT FOUND', status: 'Task not found' }]],
		// The other path says 404.
		['a page', [200, '<!DOCTYPE html><title>Crews</title>']],
	])('Get Status returns an item if the execution is unknown: %s', async (_what, answer) => {
		const baseUrl = newBaseUrl();
		answerOperation(baseUrl, dialect, 'getStatus', () => answer);
		const { json, error } = await runCrew(
			{ parameters: OPERATIONS.getStatus },
			{ credential: { baseUrl } },
		);
		expect(error).toBeUndefined();
		expect(json).toEqual([{ kickoff_id: KICKOFF_ID, status: 'not_found', ...NOT_FOUND_MEANS }]);
	});

	it('Get Status adds the whole answer if Simplify is off', async () => {
		const baseUrl = newBaseUrl();
		const { answer, items } = dialect.successes.getStatus;
		answerOperation(baseUrl, dialect, 'getStatus', () => [200, answer]);
		const parameters = { ...OPERATIONS.getStatus, options: { simplify: false } };
		const { json } = await runCrew({ parameters }, { credential: { baseUrl } });
		expect(json).toEqual([{ ...items[0], response: answer }]);
	});

	it('Get Status asks the path that worked before, from the second item on', async () => {
		const baseUrl = newBaseUrl();
		const { askedAt, strayAt } = answerOperation(baseUrl, dialect, 'getStatus', () => [
			200,
			dialect.successes.getStatus.answer,
		]);
		const parameters = { ...OPERATIONS.getStatus, options: { maxParallel: 1 } };
		const { json } = await runCrew(
			{ parameters },
			{ items: [{}, {}, {}], credential: { baseUrl } },
		);
		expect(json).toHaveLength(3);
		expect(askedAt).toHaveLength(3);
		expect(strayAt.length).toBe(dialect.name === 'documented' ? 0 : 1);
	});
});

describe('a crew with an empty answer to a stop', () => {
	it.each([200, 204])('has stopped, with HTTP %i', async (status) => {
		const baseUrl = newBaseUrl();
		const [dialect] = DIALECTS;
		answerOperation(baseUrl, dialect!, 'stop', () => [status]);
		const { json } = await runCrew({ parameters: OPERATIONS.stop }, { credential: { baseUrl } });
		expect(json).toEqual(dialect!.successes.stop.items);
	});
});
