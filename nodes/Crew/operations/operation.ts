import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { PacedCrew } from '../n8n/connect';

/** An operation of the node: what its panel shows, and what happens when it runs. */
export interface Operation {
	fields: INodeProperties[];
	/** The collection Options, which comes last in the panel. */
	options?: INodeProperties;
	execute(context: IExecuteFunctions, crew: PacedCrew): Promise<INodeExecutionData[]>;
}
