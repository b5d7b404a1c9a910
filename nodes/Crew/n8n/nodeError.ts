import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { CrewApiError } from '../api/errors';

/** The errors that n8n shows at a node, with the advice and the item that they carry. */
export type CrewNodeError = NodeApiError | NodeOperationError;

/** Anything thrown -> what n8n shows at the node: message, advice, status code, item. */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): CrewNodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex ??= itemIndex;
		return error;
	}
	if (error instanceof CrewApiError) {
		const { message, description, httpCode } = error;
		const details = { message, description, httpCode: String(httpCode ?? ''), itemIndex };
		return withMessage(new NodeApiError(node, { message }, details), message);
	}
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/**
 * Protects a message with names from outside: n8n replaces a message that contains a system error
 * code, and an input named `preexisting` contains `EEXIST`.
 */
export function withMessage<T extends CrewNodeError>(error: T, message: string): T {
	return Object.assign(error, { message });
}
