import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent calls the node; in older versions of n8n, only the node's type says so. */
export function isTool(context: IExecuteFunctions): boolean {
	const asTool: Partial<Pick<IExecuteFunctions, 'isToolExecution'>> = context;
	return context.getNode().type.endsWith('Tool') || asTool.isToolExecution?.() === true;
}

/** Shows a hint with the node's output, in versions of n8n that have such hints. */
export function hint(context: IExecuteFunctions, message: string): void {
	const newer: Partial<Pick<IExecuteFunctions, 'addExecutionHints'>> = context;
	newer.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
}
