import type { IExecuteFunctions } from 'n8n-workflow';

/** Shows a hint beside the node's output, in versions of n8n that have such hints. */
export function hint(context: IExecuteFunctions, { message }: { message: string }): void {
	const newer: Partial<Pick<IExecuteFunctions, 'addExecutionHints'>> = context;
	newer.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
}
