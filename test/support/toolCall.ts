import { SupplyDataContext } from 'n8n-core';
import { createRunExecutionData, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { Crew } from '../../nodes/Crew/Crew.node';
import { createWorkflow, dataOf, type CrewNode, type EngineOptions } from './engine';

/**
 * Calls the node like an AI agent that has it as a tool: one item with the agent's arguments, and for each try a new
 * context and item (`makeHandleToolInvocation` in n8n-core, without pauses).
 */
export async function callAsTool(
	node: CrewNode,
	toolArguments: IDataObject,
	options: EngineOptions,
	tries = 1,
): Promise<IDataObject[]> {
	const workflow = createWorkflow({ ...node, type: 'n8n-nodes-crew.crewTool' });
	const crew = workflow.getNode('Crew')!;
	const agent = workflow.getNode('Start')!;
	const data = createRunExecutionData();
	for (let tryIndex = 1; ; tryIndex++) {
		const context = new SupplyDataContext(
			workflow,
			crew,
			dataOf(options),
			'manual',
			data,
			tryIndex,
			[{ json: toolArguments }],
			{},
			'ai_tool',
			{ node: agent, data: {}, source: null },
			[],
			undefined,
			agent,
		);
		context.addInputData('ai_tool', [[{ json: toolArguments }]]);
		try {
			const [items = []] = await new Crew().execute.call(context as unknown as IExecuteFunctions);
			return items.map(({ json }) => json);
		} catch (error) {
			if (tryIndex === tries) throw error;
		}
	}
}
