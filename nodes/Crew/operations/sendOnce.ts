import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { CrewApiError } from '../api/errors';
import { isTool } from '../waiting/waitFields';
import { toNodeError } from './nodeError';

/** What came of an item's request: the crew's answer, or that it may have arrived without one. */
type Sent = { answer: IDataObject } | { unsure: { message: string; description: string } };

interface Ledger extends IDataObject {
	execution: string;
	run: number;
	sent: Record<string, Sent & IDataObject>;
}

const CONTEXT_KEY = 'sentOnce';

/** Sends an item's request, unless it was sent before in this run of the node. */
export type SendOnce = <T extends IDataObject>(
	itemIndex: number,
	send: () => Promise<T>,
) => Promise<T>;

/**
 * Makes requests that start or resume a crew safe under n8n's Retry On Fail, which runs the node
 * again with the same items: an item with an answer keeps it, and one whose request may have arrived
 * is not sent again. Each round of a loop is a run of its own, and so is each call of an AI agent.
 *
 * @param consequence what may have happened at the crew, as the end of `The crew may …`
 */
export function sendOncePerRun(context: IExecuteFunctions, consequence: string): SendOnce {
	const { sent } = openLedger(context);
	return async <T extends IDataObject>(itemIndex: number, send: () => Promise<T>): Promise<T> => {
		const before = sent[itemIndex];
		if (before && 'answer' in before) return before.answer as T;
		if (before) throw unsureError(before.unsure);
		try {
			const answer = await send();
			sent[itemIndex] = { answer };
			return answer;
		} catch (error) {
			if (!(error instanceof CrewApiError) || !error.mayHaveArrived) {
				throw toNodeError(context.getNode(), error, itemIndex);
			}
			const unsure = {
				message: error.message,
				description: `The crew may have ${consequence} all the same, so this item is not sent again. Look at the crew’s executions in its dashboard first.\n${error.description}`,
			};
			sent[itemIndex] = { unsure };
			throw unsureError(unsure, error.httpCode);
		}
	};
}

function unsureError(
	{ message, description }: { message: string; description: string },
	httpCode?: number,
): CrewApiError {
	return new CrewApiError(message, { description, httpCode, mayHaveArrived: true });
}

function openLedger(context: IExecuteFunctions): Ledger {
	const fresh: Ledger = {
		execution: context.getExecutionId(),
		run: context.evaluateExpression('{{ $runIndex }}', 0) as number,
		sent: {},
	};
	if (isTool(context)) return fresh;
	const store = context.getContext('node');
	const kept = store[CONTEXT_KEY] as Ledger | undefined;
	if (kept?.execution === fresh.execution && kept.run === fresh.run) return kept;
	store[CONTEXT_KEY] = fresh;
	return fresh;
}
