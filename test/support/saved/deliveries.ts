import type { IDataObject } from 'n8n-workflow';
import type { CallbackKind } from '../../../nodes/Crew/model/callback';

/** A callback of a crew to a Crew Trigger. */
export interface Delivery {
	kind: CallbackKind;
	body: IDataObject;
}

/** One callback of each kind about an execution; the one of the stream has events of three types. */
export const DELIVERIES = (kickoffId: string): Delivery[] => [
	{
		kind: 'crew',
		body: { kickoff_id: kickoffId, result: 'All about bees', meta: { customer: 42 } },
	},
	{ kind: 'task', body: { kickoff_id: kickoffId, name: 'write', output: 'A draft' } },
	{
		kind: 'step',
		body: { kickoff_id: kickoffId, thought: 'Bees', tool: 'search', result: 'Found' },
	},
	{
		kind: 'human_input',
		body: { execution_id: kickoffId, task_id: 'write', task_output: 'A draft' },
	},
	{
		kind: 'stream',
		body: {
			events: ['crew_kickoff_failed', 'invoice_paid', 'not_chosen'].map((type, index) => ({
				id: `event-${index}`,
				execution_id: kickoffId,
				timestamp: `2026-01-0${index + 1}T00:00:00Z`,
				type,
				data: { error: 'It broke' },
			})),
		},
	},
];
