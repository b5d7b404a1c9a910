import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { isRecord, parseJson, type JsonRecord } from '../model/json';
import { idProblem } from '../model/kickoff';
import { withMessage } from './nodeError';

/** The result of an input item. `failed` is its error item, if the node continues on errors. */
export type ItemOutcome<T> =
	{ done: T; failed?: undefined } | { done?: undefined; failed: INodeExecutionData };

/** One input item of a run, with the node's parameters for it. */
export class Item {
	constructor(
		readonly context: IExecuteFunctions,
		readonly index: number,
	) {}

	get json(): IDataObject {
		return this.context.getInputData()[this.index]?.json ?? {};
	}

	/** A parameter's value, which may be anything if it is an expression. */
	read(name: string, fallback?: unknown, skipValidation = false): unknown {
		return this.context.getNodeParameter(name, this.index, fallback, { skipValidation });
	}

	/**
	 * A parameter with an ID.
	 *
	 * @throws NodeOperationError with the parameter's name if it cannot be sent
	 */
	readId(name: string, displayName: string): string {
		const value = this.read(name);
		const problem = idProblem(value);
		if (problem === undefined) return String(value).trim();
		throw this.error(
			`${displayName} ${problem}`,
			`Set '${displayName}' to the ID that the crew gave, e.g. {{ $json.kickoff_id }}.`,
		);
	}

	/**
	 * A parameter with a JSON object, as an object or as text; empty means `{}`.
	 *
	 * @throws NodeOperationError with the parameter's name if it is not a JSON object
	 */
	readJsonObject(name: string, displayName: string): JsonRecord {
		const value = this.read(name, {});
		const isText = typeof value === 'string';
		if (value === null || value === undefined || (isText && value.trim() === '')) return {};
		const object = isText ? parseJson(value) : value;
		// A date is an object, too, but not in JSON.
		if (isRecord(object) && typeof object.toJSON !== 'function') return object;
		throw this.error(
			`${displayName} is not a JSON object`,
			`Write '${displayName}' as names and values in braces, e.g. {"topic": "bees"}. Text from other items needs quotes: use {{ JSON.stringify($json.text) }}.`,
		);
	}

	/** An error at this item, for the caller to throw. `description` says what to do. */
	error(message: string, description: string): NodeOperationError {
		const details = { itemIndex: this.index, description };
		return withMessage(new NodeOperationError(this.context.getNode(), message, details), message);
	}
}
