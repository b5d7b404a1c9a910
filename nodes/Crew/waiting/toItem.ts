import type { IDataObject } from 'n8n-workflow';
import type { Watched } from './watch';

/** The content of the item for an execution whose wait is over, timed out where it has not settled. */
export function toItem(
	{ kickoffId, base, execution, response }: Watched,
	isSimple: boolean,
): IDataObject {
	return {
		kickoff_id: kickoffId,
		...base,
		...(execution ?? { status: 'timed_out' }),
		...(isSimple || response === undefined ? {} : { response }),
	};
}
