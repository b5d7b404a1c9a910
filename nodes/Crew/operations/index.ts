import type { INodeProperties } from 'n8n-workflow';
import { callbackFields } from '../callbacks/callbackFields';
import { waitFields } from './waitFields';
import { getInputs } from './getInputs';
import { getStatus } from './getStatus';
import { kickoff } from './kickoff';
import type { Operation } from './operation';
import { resume } from './resume';
import { stop } from './stop';

/** By the value of the parameter `operation`. */
export const operations: Readonly<Record<string, Operation>> = {
	getInputs,
	kickoff,
	getStatus,
	resume,
	stop,
};

/** All fields of the panel below Operation, in the order in which it shows them. */
export const operationFields: INodeProperties[] = [
	...Object.values(operations).flatMap(({ fields }) => fields),
	...waitFields,
	...callbackFields,
	...Object.values(operations).flatMap(({ options }) => options ?? []),
];
