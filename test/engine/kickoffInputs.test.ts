import nock from 'nock';
import type { IDataObject, NodeParameterValueType } from 'n8n-workflow';
import { newBaseUrl } from '../support/crewMock';
import { KICKOFF_ID } from '../support/crewOperations';
import { runCrew } from '../support/engine';

interface Field {
	id: string;
	required?: boolean;
	removed?: boolean;
	type?: string;
}

/** The value of n8n's resource mapper as it is saved with a workflow. */
function mapper(
	mappingMode: 'defineBelow' | 'autoMapInputData',
	fields: Field[],
	value: Record<string, NodeParameterValueType> | null = null,
) {
	const schema = fields.map(({ id, required = false, removed = false, type = 'string' }) => ({
		id,
		displayName: id,
		required,
		removed,
		type,
		display: true,
		defaultMatch: false,
		canBeUsedToMatch: true,
	}));
	return { mappingMode, value, schema, matchingColumns: [] };
}

const TOPIC_AND_YEAR: Field[] = [
	{ id: 'topic', required: true },
	{ id: 'year', type: 'number' },
];

/** Kicks off for each item and returns the bodies that arrived. */
async function kickoff(
	parameters: Record<string, NodeParameterValueType>,
	items: IDataObject[] = [{}],
) {
	const baseUrl = newBaseUrl();
	const bodies: Array<Record<string, unknown>> = [];
	nock(baseUrl)
		.persist()
		.post('/kickoff')
		.reply((_path, body) => {
			bodies.push(body as Record<string, unknown>);
			return [200, { kickoff_id: KICKOFF_ID }];
		});
	const options = { n8nMeta: false, maxParallel: 1, ...(parameters.options as object | undefined) };
	const { error } = await runCrew(
		{ parameters: { operation: 'kickoff', wait: 'no', ...parameters, options } },
		{ items, credential: { baseUrl } },
	);
	return { bodies, inputs: bodies.map(({ inputs }) => inputs), error };
}

describe('inputs in fields', () => {
	it('are read for each item', async () => {
		const value = { topic: '={{ $json.subject }}', year: '={{ $json.when }}' };
		const { inputs, error } = await kickoff(
			{ inputs: mapper('defineBelow', TOPIC_AND_YEAR, value) },
			[
				{ subject: 'bees', when: 2024 },
				{ subject: 'ants', when: 2025 },
			],
		);
		expect(error).toBeUndefined();
		expect(inputs).toEqual([
			{ topic: 'bees', year: 2024 },
			{ topic: 'ants', year: 2025 },
		]);
	});

	it('are left out if they are empty', async () => {
		const value = { topic: 'bees', year: null };
		const { inputs } = await kickoff({ inputs: mapper('defineBelow', TOPIC_AND_YEAR, value) });
		expect(inputs).toEqual([{ topic: 'bees' }]);
	});

	it('keep 0 and false', async () => {
		const fields = [
			{ id: 'pages', type: 'number' },
			{ id: 'short', type: 'boolean' },
		];
		const value = { pages: 0, short: false };
		const { inputs } = await kickoff({ inputs: mapper('defineBelow', fields, value) });
		expect(inputs).toEqual([{ pages: 0, short: false }]);
	});

	it('are refused by name, before anything is sent, if required ones are empty', async () => {
		const fields = [
			{ id: 'topic', required: true },
			{ id: 'preexisting', required: true },
		];
		const value = { topic: '={{ "" }}', preexisting: '' };
		const { bodies, error } = await kickoff({ inputs: mapper('defineBelow', fields, value) });
		expect(error).toMatchObject({
			message: 'Required inputs are missing: topic, preexisting',
			item: 0,
		});
		expect(error?.description).toContain('Nothing was sent');
		expect(bodies).toEqual([]);
	});

	it('for numbers are empty if their text is, as from a spreadsheet, and not 0', async () => {
		const fields = [
			{ id: 'pages', type: 'number' },
			{ id: 'year', type: 'number' },
		];
		const inputs = mapper('defineBelow', fields, { pages: '={{ $json.pages }}', year: 2026 });
		const rows = [{ pages: '' }, { pages: '0' }, { pages: 0 }];
		const sent = await kickoff({ inputs }, rows);
		const zero = { pages: 0, year: 2026 };
		expect(sent.inputs).toEqual([{ year: 2026 }, zero, zero]);

		inputs.schema[0]!.required = true;
		const { bodies, error } = await kickoff({ inputs }, rows);
		expect(error).toMatchObject({ message: 'Required inputs are missing: pages', item: 0 });
		expect(bodies).toEqual([]);
	});

	it.each([
		['a required one has no value', { topic: null }, 'topic'],
		['a required one’s expression has no value', { topic: '={{ $json.nothing }}' }, 'topic'],
		['one has a value of another type', { topic: 'bees', year: '={{ "soon" }}' }, 'year'],
	])('are refused by n8n itself, by name, if %s', async (_what, value, name) => {
		const inputs = mapper('defineBelow', TOPIC_AND_YEAR, value);
		const { bodies, error } = await kickoff({ inputs });
		expect(error?.message).toContain(`'${name}'`);
		expect(bodies).toEqual([]);
	});
});

describe('inputs mapped automatically', () => {
	const json = { topic: 'bees', year: 2024, other: 'not an input' };

	it('are the fields of the item that the crew knows', async () => {
		const { inputs } = await kickoff({ inputs: mapper('autoMapInputData', TOPIC_AND_YEAR) }, [
			json,
		]);
		expect(inputs).toEqual([{ topic: 'bees', year: 2024 }]);
	});

	it('are neither sent nor required if the user has removed the field', async () => {
		const fields = [
			{ id: 'topic', required: true, removed: true },
			{ id: 'year', type: 'number' },
		];
		const { inputs } = await kickoff({ inputs: mapper('autoMapInputData', fields) }, [json]);
		expect(inputs).toEqual([{ year: 2024 }]);
	});

	it('are none if the only field was not added', async () => {
		const fields = [{ id: 'id', removed: true }];
		const { inputs } = await kickoff({ inputs: mapper('autoMapInputData', fields) }, [
			{ id: 7, other: 'x' },
		]);
		expect(inputs).toEqual([{}]);
	});

	it('are the whole item if the workflow does not know the crew’s fields', async () => {
		const { inputs } = await kickoff({ inputs: mapper('autoMapInputData', []) }, [json]);
		expect(inputs).toEqual([json]);
	});

	it('are refused by name if the item lacks a required one', async () => {
		const { bodies, error } = await kickoff(
			{ inputs: mapper('autoMapInputData', TOPIC_AND_YEAR) },
			[json, { year: 2024 }],
		);
		expect(error).toMatchObject({ message: 'Required inputs are missing: topic', item: 1 });
		expect(bodies).toHaveLength(1);
	});
});

describe('fields that are not the crew’s', () => {
	const REFRESH = 'Click ⋮ beside Inputs and choose Refresh Input List.';
	const STRANGE = 'The fields are not those of this crew, which requires company';

	/** Kicks off a crew that misses these inputs, and returns the node's message. */
	async function refusedFor(
		missing: string[],
		parameters: Record<string, NodeParameterValueType>,
		status = 422,
	) {
		const baseUrl = newBaseUrl();
		nock(baseUrl)
			.post('/kickoff')
			.reply(status, { detail: { message: 'No', missing_inputs: missing } });
		const { error } = await runCrew(
			{ parameters: { operation: 'kickoff', wait: 'no', ...parameters } },
			{ credential: { baseUrl } },
		);
		return error;
	}

	const filled = (fields = TOPIC_AND_YEAR) => ({
		inputs: mapper('defineBelow', fields, { topic: 'bees' }),
	});

	it.each([400, 422])('are said to be another crew’s, with what to click: %i', async (status) => {
		const error = await refusedFor(['company'], filled(), status);
		expect(error?.message).toBe(STRANGE);
		expect(error?.description).toContain(REFRESH);
	});

	it('are reported even if one fits', async () => {
		const error = await refusedFor(['year', 'company'], filled());
		expect(error?.message).toBe(STRANGE);
	});

	it('are not blamed for one that is among them', async () => {
		const error = await refusedFor(['year'], filled());
		expect(error?.message).toBe('Required inputs are missing: year');
		expect(error?.description).not.toContain(REFRESH);
	});

	it('are loaded with Retry if there are none yet', async () => {
		const error = await refusedFor(['topic'], filled([]));
		expect(error?.message).toBe('Required inputs are missing: topic');
		expect(error?.description).toContain('click Retry if none appear');
	});

	it('are reloaded by changing the mode if items are mapped automatically', async () => {
		const inputs = mapper('autoMapInputData', [{ id: 'year', type: 'number' }]);
		const error = await refusedFor(['company'], { inputs });
		expect(error?.message).toBe(STRANGE);
		expect(error?.description).toContain('Map Each Column Manually and back');
	});

	it.each([
		['a whole item', { inputs: mapper('autoMapInputData', []) }],
		['JSON', { specifyInputs: 'json', inputsJson: '{}' }],
	])('do not matter with %s', async (_what, parameters) => {
		const error = await refusedFor(['company'], parameters);
		expect(error?.message).toBe('Required inputs are missing: company');
		expect(error?.description).toContain('Get Inputs lists');
	});
});

describe('a crew without inputs', () => {
	const none = [{ id: '', displayName: 'No inputs' }];

	it.each(['defineBelow', 'autoMapInputData'] as const)('is sent none: %s', async (mode) => {
		const { inputs, error } = await kickoff({ inputs: mapper(mode, none, {}) }, [
			{ topic: 'bees' },
		]);
		expect(error).toBeUndefined();
		expect(inputs).toEqual([{}]);
	});
});

describe('inputs as JSON', () => {
	it.each([
		['an object', '={{ { topic: "bees" } }}', { topic: 'bees' }],
		['text', '{"topic":"bees"}', { topic: 'bees' }],
		['nothing', '', {}],
	])('may be %s', async (_what, inputsJson, expected) => {
		const { inputs, error } = await kickoff({ specifyInputs: 'json', inputsJson });
		expect(error).toBeUndefined();
		expect(inputs).toEqual([expected]);
	});

	it.each([
		'={{ "[1]" }}',
		'={{ "bees" }}',
		'={{ "{broken" }}',
		'={{ [1] }}',
		'={{ 7 }}',
		'={{ $now }}',
		'={{ new Date() }}',
	])('are refused by name where they are no object: %s', async (inputsJson) => {
		const { bodies, error } = await kickoff({ specifyInputs: 'json', inputsJson });
		expect(error).toMatchObject({ message: 'Inputs (JSON) is not a JSON object', item: 0 });
		expect(bodies).toEqual([]);
	});
});
