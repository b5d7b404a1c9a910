import { LoadOptionsContext } from 'n8n-core';
import nock from 'nock';
import type { ResourceMapperFields } from 'n8n-workflow';
import { Crew } from '../../nodes/Crew/Crew.node';
import { newBaseUrl } from '../support/crewMock';
import { additionalData, createWorkflow, CREDENTIAL } from '../support/engine';
import { inFastTime } from '../support/fastTime';

/** Asks for the fields of the panel as n8n's editor does. */
async function getInputFields(status: number, body: nock.Body): Promise<ResourceMapperFields> {
	const baseUrl = newBaseUrl();
	nock(baseUrl).persist().get('/inputs').reply(status, body);
	const workflow = createWorkflow({ parameters: { operation: 'kickoff' } }, []);
	const context = new LoadOptionsContext(
		workflow,
		workflow.getNode('Crew')!,
		additionalData({ ...CREDENTIAL, baseUrl }),
		'parameters.inputs',
	);
	return await inFastTime(
		async () => await new Crew().methods.resourceMapping.getInputFields.call(context),
	);
}

describe('the fields for a crew’s inputs', () => {
	it('are one for each, with its name and whether it is required', async () => {
		const { fields } = await getInputFields(200, {
			inputs: [{ name: 'topic', type: 'string', required: true }, { name: 'year' }],
		});
		expect(fields).toMatchObject([
			{ id: 'topic', displayName: 'topic', required: true, display: true, type: 'string' },
			{ id: 'year', displayName: 'year', required: false, display: true },
		]);
	});

	it.each([
		['string', 'string'],
		['str', 'string'],
		['Text', 'string'],
		['integer', 'number'],
		['int64', 'number'],
		['float', 'number'],
		['boolean', 'boolean'],
		['bool', 'boolean'],
		['array', 'array'],
		['List[str]', 'array'],
		['object', 'object'],
		['dict[str, int]', 'object'],
		['datetime', 'dateTime'],
		['date', 'string'],
		['Internet of things', undefined],
		['Optional[int]', undefined],
		['anything', undefined],
	])('are typed if n8n knows the type: %s', async (type, expected) => {
		const { fields } = await getInputFields(200, { inputs: { topic: type } });
		expect(fields[0]?.type).toBe(expected);
	});

	it.each<[string, object, boolean]>([
		['a flow', { id: 'str', topic: 'str' }, true],
		['a flow that lists names', ['id', 'topic'], true],
		['a crew that requires it', [{ name: 'id', required: true }], false],
	])('leave out an ID at first if it comes from %s', async (_what, inputs, removed) => {
		const { fields } = await getInputFields(200, { inputs });
		expect(fields[0]).toMatchObject({ id: 'id', display: true, removed });
		expect(fields.slice(1)).toMatchObject(fields.slice(1).map(() => ({ removed: false })));
	});

	it('are one hidden field if the crew expects none: without any, n8n shows a warning', async () => {
		const { fields } = await getInputFields(200, { inputs: [] });
		expect(fields).toMatchObject([{ id: '', required: false, display: false }]);
	});

	it.each([
		[401, 'The crew did not accept the access token'],
		[404, 'No crew answers at this address'],
		[503, 'The crew’s server could not answer (HTTP 503)'],
		[200, 'What answers at this address is not a crew: it sent something else'],
	])('are replaced by a message if the crew answers %i', async (status, message) => {
		await expect(getInputFields(status, 'Healthy')).rejects.toMatchObject({ message });
	});
});
