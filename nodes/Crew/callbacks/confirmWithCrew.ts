import { NodeOperationError, type IWebhookFunctions } from 'n8n-workflow';
import type { CrewClient } from '../api/client';
import { connect } from '../api/connect';
import type { CrewApiError } from '../api/errors';
import { forEachLimited } from '../api/forEachLimited';
import type { CallbackEvent } from '../model/callback';
import { readExecution } from '../model/execution';
import { idProblem } from '../model/kickoff';

/** Milliseconds: the sender of the callback waits meanwhile. */
const TIMEOUT = 10_000;
const MAX_PARALLEL = 5;

/** What the crew says of the executions that callbacks name. */
export type Confirmation = 'known' | 'unknown' | 'unreachable';

/**
 * Whether the trigger is to let in what {@link confirmWithCrew} confirms only.
 *
 * @throws NodeOperationError where it has no credential to ask the crew with
 */
export function isConfirming(context: IWebhookFunctions): boolean {
	if (context.getNodeParameter('options.confirmWithCrew', false) !== true) return false;
	if (context.getNode().credentials?.crewApi) return true;
	throw new NodeOperationError(context.getNode(), 'There is no crew to confirm callbacks with', {
		description: "Choose a credential, or turn off the option 'Confirm With Crew'.",
	});
}

/** Asks the credential's crew whether it knows every execution that the events name. */
export async function confirmWithCrew(
	context: IWebhookFunctions,
	events: readonly CallbackEvent[],
): Promise<Confirmation> {
	const ids = [...new Set(events.map(({ kickoff_id: id }) => id))];
	const named = ids.filter((id) => id !== undefined);
	if (named.length < ids.length || named.some(isNoId)) return 'unknown';
	const { client } = await connect(context);
	const answers = new Set<Confirmation>();
	await forEachLimited(named, MAX_PARALLEL, async (id) => {
		// One that is not known is enough: a stranger shall not make n8n ask a thousand times.
		if (answers.has('unknown') || answers.has('unreachable')) return;
		answers.add(await confirm(client, id));
	});
	const worst = (['unknown', 'unreachable'] as const).find((answer) => answers.has(answer));
	return worst ?? 'known';
}

function isNoId(id: string): boolean {
	return idProblem(id) !== undefined;
}

async function confirm(client: CrewClient, kickoffId: string): Promise<Confirmation> {
	try {
		const { status } = readExecution(await client.getStatusOnce(kickoffId, TIMEOUT));
		return status === 'not_found' ? 'unknown' : 'known';
	} catch (error) {
		const { httpCode = 0 } = error as CrewApiError;
		return [400, 404, 422].includes(httpCode) ? 'unknown' : 'unreachable';
	}
}
