import type {
	FieldType,
	ILoadOptionsFunctions,
	INodeProperties,
	ResourceMapperField,
	ResourceMapperFields,
	ResourceMapperValue,
} from 'n8n-workflow';
import { CrewApiError, shorten } from '../api/errors';
import { connect, paced } from '../n8n/connect';
import type { Item } from '../n8n/item';
import { toNodeError } from '../n8n/nodeError';
import type { CrewInput } from '../model/inputs';
import { own, type JsonRecord } from '../model/json';

const show = { operation: ['kickoff'] };

/** The crew's inputs: a field for each that the crew names, or JSON. */
export const inputFields: INodeProperties[] = [
	{
		displayName: 'Specify Inputs',
		name: 'specifyInputs',
		type: 'options',
		default: 'fields',
		description: 'How to enter the values that the crew works with',
		displayOptions: { show },
		options: [
			{
				name: 'Using Fields Below',
				value: 'fields',
				description: 'A field for each input that the crew expects',
			},
			{ name: 'Using JSON', value: 'json', description: 'All inputs as one JSON object' },
		],
	},
	{
		displayName: 'Inputs',
		name: 'inputs',
		type: 'resourceMapper',
		noDataExpression: true,
		description: 'A value for each input that the crew expects',
		default: { mappingMode: 'defineBelow', value: null },
		typeOptions: {
			resourceMapper: {
				resourceMapperMethod: 'getInputFields',
				mode: 'add',
				valuesLabel: 'Inputs',
				fieldWords: { singular: 'input', plural: 'inputs' },
				addAllFields: true,
				multiKeyMatch: false,
				supportAutoMap: true,
				// n8n shows it in red, followed by its link "Retry", until there are fields.
				noFieldsError: 'No inputs loaded yet. Choose or correct the credential, then',
			},
		},
		displayOptions: { show: { ...show, specifyInputs: ['fields'] } },
	},
	{
		displayName: 'Inputs (JSON)',
		name: 'inputsJson',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"topic": "bees"}',
		description: 'The inputs as a JSON object, each under the name that the crew gives it',
		displayOptions: { show: { ...show, specifyInputs: ['json'] } },
	},
];

const FIELD_TYPES: ReadonlyArray<readonly [words: RegExp, type: FieldType]> = [
	[/^(int(eger)?|long|num(ber|eric)?|float|double|decimal)\d*\b/i, 'number'],
	[/^bool(ean)?\b/i, 'boolean'],
	[/^(list|array|tuple|set)\b/i, 'array'],
	[/^(object|dict(ionary)?|json|map)\b/i, 'object'],
	[/^(datetime|date-time|timestamp)\b/i, 'dateTime'],
	[/^(str(ing)?|text|url|uri|email|uuid|date|time)\b/i, 'string'],
];

/** A hidden field: with it, n8n says that there are no inputs; without any field, that none were loaded. */
const NO_INPUTS: ResourceMapperField = {
	id: '',
	displayName: 'No inputs',
	required: false,
	defaultMatch: false,
	display: false,
};

/** Asks the crew for its inputs, so that the panel can show a field for each. */
export async function getInputFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const { client } = paced(this, await connect(this));
		const fields = (await client.getInputs()).map(toField);
		return { fields: fields.length > 0 ? fields : [NO_INPUTS] };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

function toField({ name, type = '', required = false }: CrewInput): ResourceMapperField {
	return {
		id: name,
		displayName: name,
		required,
		defaultMatch: false,
		display: true,
		// A flow lists the ID of its state among its fields, but must not get one.
		removed: name === 'id' && !required,
		// For a type that n8n does not know, any value can be entered.
		type: FIELD_TYPES.find(([words]) => words.test(type))?.[1],
	};
}

/**
 * Reads the inputs for one item.
 *
 * @throws NodeOperationError that names the required inputs without a value
 */
export function readInputValues(item: Item): JsonRecord {
	if (item.read('specifyInputs', 'fields') === 'json') {
		return item.readJsonObject('inputsJson', 'Inputs (JSON)');
	}
	const { isAutomatic, fields } = readMapper(item);
	const known = fields.filter(({ removed }) => removed !== true);
	const entered = isAutomatic ? item.json : (item.read('inputs.value', {}) as JsonRecord | null);
	// n8n makes 0 of an empty text, e.g. from a spreadsheet, in a field for a number.
	const hasZero = !isAutomatic && Object.values(entered ?? {}).includes(0);
	const raw = hasZero ? item.read('inputs.value', {}, true) : entered;
	// A saved workflow without the list of fields maps the whole item.
	const isMapped = (name: string) =>
		!isAutomatic || fields.length === 0 || known.some(({ id }) => id === name);
	// An empty field means that nothing was entered, as n8n's panel shows it.
	const isEntered = (value: unknown) => value !== undefined && value !== null && value !== '';
	const values = Object.fromEntries(
		Object.entries(entered ?? {}).filter(([name]) => isMapped(name) && isEntered(own(raw, name))),
	);
	const missing = known.filter(({ id, required }) => required && !Object.hasOwn(values, id));
	if (missing.length > 0) {
		throw item.error(
			`Required inputs are missing: ${missing.map(({ id }) => id).join(', ')}`,
			'Fill in these inputs. Nothing was sent to the crew for this item.',
		);
	}
	return values;
}

/** The saved mapper: its list of fields is the same for all items and needs no evaluation. */
function readMapper({ context }: Item): { isAutomatic: boolean; fields: ResourceMapperField[] } {
	const mapper: unknown = context.getNode().parameters.inputs;
	const { mappingMode, schema }: Partial<ResourceMapperValue> = mapper ?? {};
	const fields = Array.isArray(schema) ? schema : [];
	return { isAutomatic: mappingMode === 'autoMapInputData', fields };
}

/**
 * Returns the reason why a crew refused a kickoff, or that the node has the wrong fields, and what to click: n8n asks for
 * them when the panel opens, but not when another credential is chosen.
 */
export function blameFields(item: Item, refusal: unknown): unknown {
	if (!(refusal instanceof CrewApiError)) return refusal;
	const { httpCode, missingInputs } = refusal;
	const isFields = item.read('specifyInputs', 'fields') === 'fields';
	const { isAutomatic, fields } = readMapper(item);
	const strange = missingInputs.filter((name) => !fields.some(({ id }) => id === name));
	const isWholeItem = isAutomatic && fields.length === 0;
	if (!isFields || isWholeItem || strange.length === 0) return refusal;
	if (fields.length === 0) {
		const description =
			'Their fields are not loaded yet. Open the node, click Retry if none appear, and fill them in.';
		return new CrewApiError(refusal.message, { httpCode, description });
	}
	const message = `The fields are not those of this crew, which requires ${shorten(strange.join(', '))}`;
	const description = isAutomatic
		? 'They belong to another crew, or this one has changed. Set Mapping Column Mode to Map Each Column Manually and back.'
		: 'They belong to another crew, or this one has changed. Click ⋮ beside Inputs and choose Refresh Input List.';
	return new CrewApiError(message, { httpCode, description });
}
