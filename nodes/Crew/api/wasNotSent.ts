import { NodeOperationError, type INode } from 'n8n-workflow';

/** A request that waited for its turn when the execution was cancelled, or stopped on another item. */
export class WasNotSent extends NodeOperationError {
	constructor(node: INode) {
		const message = 'The execution was cancelled before this item was begun';
		super(node, message);
	}
}
