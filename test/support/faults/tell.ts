import type { Outcome } from './accounts';

/** The outcome of an item: without Retry On Fail, and with it if n8n runs the node again. */
export interface Effect {
	plain: Outcome;
	retried: Outcome;
	/** Whether the node sent more than one request without Retry On Fail. */
	askedAgain: boolean;
}

/** An effect in words, for a table. */
export function tell({ plain, retried, askedAgain }: Effect): string {
	const first = tellOutcome(plain, askedAgain);
	const second = tellOutcome(retried, askedAgain);
	return first === second ? first : `${first}. With Retry On Fail: ${tellOutcome(retried, false)}`;
}

/** Whether an outcome is the one that {@link tell} describes. What its setting does not show is not compared. */
export function isAsTold(
	{ message, mayHaveArrived }: Outcome,
	isRetried: boolean,
	told: string,
): boolean {
	const [plain = '', retried = plain] = told.split('. With Retry On Fail: ');
	const own = isRetried ? retried : plain;
	if (message === undefined) return own.startsWith('succeeds');
	const isHinted = own.endsWith(' (it may have arrived)');
	const isHintRight = mayHaveArrived === undefined || mayHaveArrived === isHinted;
	return isHintRight && own.startsWith(`_${message}_`);
}

function tellOutcome({ message, mayHaveArrived }: Outcome, askedAgain: boolean): string {
	if (message !== undefined) return `_${message}_${mayHaveArrived ? ' (it may have arrived)' : ''}`;
	return askedAgain ? 'succeeds: the node tries again' : 'succeeds';
}
