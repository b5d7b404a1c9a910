import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { PacedCrew } from '../n8n/connect';

/** What the node can do: what its panel shows beside what happens when it runs. */
export interface Operation {
	fields: INodeProperties[];
	/** The collection Options, which comes last in the panel. */
	options?: INodeProperties;
	execute(context: IExecuteFunctions, crew: PacedCrew): Promise<INodeExecutionData[]>;
}
