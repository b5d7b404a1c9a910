import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { Crew } from '../api/connect';

/** What the node can do: the fields of its panel beside what happens when it runs. */
export interface Operation {
	fields: INodeProperties[];
	execute(context: IExecuteFunctions, crew: Crew): Promise<INodeExecutionData[]>;
}
