import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { isRecord, parseJson, type JsonRecord } from '../model/json';
import { idProblem } from '../model/kickoff';

/**
 * Reads a parameter that holds an id.
 *
 * @throws NodeOperationError with the parameter's name if it cannot be sent
 */
export function readId(
	context: IExecuteFunctions,
	parameterName: string,
	displayName: string,
	itemIndex: number,
): string {
	const value: unknown = context.getNodeParameter(parameterName, itemIndex);
	const problem = idProblem(value);
	if (problem !== undefined) {
		throw new NodeOperationError(context.getNode(), `${displayName} ${problem}`, {
			itemIndex,
			description: `Set '${displayName}' to the ID that the crew gave, e.g. {{ $json.kickoff_id }}.`,
		});
	}
	return String(value).trim();
}

/**
 * Reads a parameter that holds a JSON object, as an object or as text; empty means `{}`.
 *
 * @throws NodeOperationError with the parameter's name if it is no JSON object
 */
export function readJsonObject(
	context: IExecuteFunctions,
	parameterName: string,
	displayName: string,
	itemIndex: number,
): JsonRecord {
	const value: unknown = context.getNodeParameter(parameterName, itemIndex, {});
	const isText = typeof value === 'string';
	if (value === null || value === undefined || (isText && value.trim() === '')) return {};
	const object = isText ? parseJson(value) : value;
	if (isRecord(object)) return object;
	throw new NodeOperationError(context.getNode(), `${displayName} is not a JSON object`, {
		itemIndex,
		description: `Write '${displayName}' as names and values in braces, e.g. {"topic": "bees"}. Text from other items needs quotes: use {{ JSON.stringify($json.text) }}.`,
	});
}
