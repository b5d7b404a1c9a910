import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { PacedCrew } from '../n8n/connect';

/** An operation of the node: what its panel shows, and what happens when it runs. */
export interface Operation {
	fields: INodeProperties[];
	/** The collection Options, which comes last in the panel. */
	options?: INodeProperties;
	execute(context: IExecuteFunctions, crew: PacedCrew): Promise<INodeExecutionData[]>;
}

export const maxParallelOption: INodeProperties = {
	displayName: 'Max Parallel Requests',
	name: 'maxParallel',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description:
		'How many requests are sent to the crew at the same time, by all executions together. With 0, the node finds out how many the crew accepts. Limits requests, not crews: each item still starts a crew.',
};

/** `options.maxParallel`; with 0, or any other value below one or not a number, the node chooses. */
export function readMaxParallel(context: IExecuteFunctions): number {
	const value = Number(context.getNodeParameter('options.maxParallel', 0, 0));
	return value >= 1 ? Math.floor(value) : 0;
}

/** For operations that have the crew's whole answer. */
export const simplifyOption: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** The execution's ID, for all operations that are about one. */
export const kickoffIdField: INodeProperties = {
	displayName: 'Kickoff ID',
	name: 'kickoffId',
	type: 'string',
	required: true,
	default: '={{ $json.kickoff_id }}',
	placeholder: 'e.g. 0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d',
	description: 'The kickoff_id that Kickoff returned for the execution',
	displayOptions: { show: { operation: ['getStatus', 'resume', 'stop'] } },
};

/** The collection Options of one operation, which lists them by their names. */
export function optionsField(operation: string, options: INodeProperties[]): INodeProperties {
	// Not localeCompare, whose first call takes as much time as loading everything else.
	const byName = (a: INodeProperties, b: INodeProperties) =>
		a.displayName < b.displayName ? -1 : 1;
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { operation: [operation] } },
		options: [...options].sort(byName),
	};
}
