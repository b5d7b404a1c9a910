import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

/**
 * Keeps a message that holds names from outside as it is: n8n puts its own in place of one with a
 * system's code in it, and an input named `preexisting` has `EEXIST` in it.
 */
export function withMessage<T extends NodeApiError | NodeOperationError>(
	error: T,
	message: string,
): T {
	return Object.assign(error, { message });
}
