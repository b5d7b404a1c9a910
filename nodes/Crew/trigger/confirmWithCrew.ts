import { NodeOperationError, type IWebhookFunctions } from 'n8n-workflow';
import { KICKOFF_LAG } from '../api/client';
import { connect, type Crew } from '../n8n/connect';
import type { CrewApiError } from '../api/errors';
import { remember } from '../api/remember';
import type { CallbackEvent } from '../model/callback';
import { readExecution } from '../model/execution';
import { isOn } from '../model/json';
import { idProblem } from '../model/kickoff';

/** Milliseconds: the sender of the callback is waiting. */
const TIMEOUT = 10_000;

/** What the crew says about the executions that callbacks name. */
export type Confirmation = 'known' | 'unknown' | 'unreachable';

/**
 * Asks the credential's crew whether it knows every execution that the events name, if the user wants
 * that.
 *
 * @param hasToken whether the callback has proven its origin
 * @throws NodeOperationError if there is no credential to ask the crew with
 */
export async function confirmWithCrew(
	context: IWebhookFunctions,
	events: readonly CallbackEvent[],
	hasToken: boolean,
): Promise<Confirmation> {
	if (!isOn(context.getNodeParameter('options.confirmWithCrew', false), false)) return 'known';
	if (!context.getNode().credentials?.crewApi) {
		throw new NodeOperationError(context.getNode(), 'There is no crew to verify executions with', {
			description: "Choose a credential, or turn off the option 'Verify Execution'.",
		});
	}
	const ids = [...new Set(events.map(({ kickoff_id: id = '' }) => id))];
	if (ids.some(idProblem)) return 'unknown';
	const crew = await connect(context);
	const asking = new Set(
		events.filter(({ event }) => event === 'human_input').map(({ kickoff_id: id }) => id),
	);
	for (const id of ids) {
		const answer = await confirm(crew, id, hasToken && asking.has(id));
		// A stranger must not be able to make n8n ask a thousand times.
		if (answer !== 'known') return answer;
	}
	return 'known';
}

/**
 * @param isAsking whether it certainly asks a person. The platform reports such executions as not
 * found, too, with a 200.
 */
async function confirm(
	{ client, baseUrl }: Crew,
	kickoffId: string,
	isAsking: boolean,
): Promise<Confirmation> {
	const unknownSoFar = () => (isNew(`${baseUrl} ${kickoffId}`) ? 'unreachable' : 'unknown');
	try {
		const { status } = readExecution(await client.getStatusOnce(kickoffId, TIMEOUT));
		return status === 'not_found' && !isAsking ? unknownSoFar() : 'known';
	} catch (error) {
		const { httpCode = 0, isStandIn } = error as CrewApiError;
		if (httpCode === 404 && !isStandIn) return unknownSoFar();
		return [400, 422].includes(httpCode) ? 'unknown' : 'unreachable';
	}
}

/** When an execution that its crew does not know was first mentioned, in milliseconds since the epoch. */
const firstTold = new Map<string, number>();

/** Whether an execution may have been kicked off so recently that it has no status yet. */
function isNew(execution: string): boolean {
	const told = firstTold.get(execution) ?? Date.now();
	remember(firstTold, execution, told);
	return Date.now() - told < KICKOFF_LAG;
}
