import type { INodeProperties } from 'n8n-workflow';

/** Options that every operation has. */
export const maxParallelOption: INodeProperties = {
	displayName: 'Max Parallel',
	name: 'maxParallel',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 10,
	description: 'How many requests to the crew may be under way at the same time',
};

/** Where the crew's whole answer can be had. */
export const simplifyOption: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** The field for the execution's ID, shown where `operation` is one of the named ones. */
export function kickoffIdField(...operations: string[]): INodeProperties {
	return {
		displayName: 'Kickoff ID',
		name: 'kickoffId',
		type: 'string',
		required: true,
		default: '={{ $json.kickoff_id }}',
		placeholder: 'e.g. 0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d',
		description: 'The ID of the execution that Kickoff gave out as kickoff_id',
		displayOptions: { show: { operation: operations } },
	};
}

/** The collection Options of one operation, which lists them by their names. */
export function optionsField(operation: string, options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { operation: [operation] } },
		options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}
