import type { IDataObject, INodeExecutionData, IRunExecutionData, ITaskData } from 'n8n-workflow';

/** A trigger's run with one item, as the editor sends it to n8n. */
export function taskDataOf(json: IDataObject): ITaskData {
	return {
		startTime: Date.now(),
		executionTime: 0,
		executionIndex: 0,
		executionStatus: 'success',
		source: [],
		data: { main: [[{ json }]] },
	};
}

/** The items of a node's first output in its last run; none if it did not run. */
export function outputOf(
	{ data }: { data: IRunExecutionData },
	nodeName: string,
): INodeExecutionData[] {
	const runs = data.resultData.runData[nodeName] ?? [];
	return runs.at(-1)?.data?.['main']?.[0] ?? [];
}
