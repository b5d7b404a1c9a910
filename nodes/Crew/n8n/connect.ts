import { NodeOperationError } from 'n8n-workflow';
import { readAccessToken } from '../model/accessToken';
import { readBaseUrl } from '../model/url';
import { sharedQueue } from '../pacing/requestQueue';
import { createClient, type CrewClient, type CrewReader } from '../api/client';
import { AT_ONCE, Pacer } from '../api/pacer';
import { sendThroughN8n, type CrewContext, type CrewCredential } from './send';

/** The crew of the node's credential. */
export interface Crew {
	client: CrewReader;
	baseUrl: string;
	credential: CrewCredential;
}

/** A crew whose requests wait in the queues that all executions share. */
export interface PacedCrew extends Crew {
	client: CrewClient;
	pacer: Pacer;
	/** How many requests are sent at once; 0 lets the node find out. */
	maxParallel: number;
}

/**
 * Reads the node's credential and returns a client for its crew.
 *
 * @throws NodeOperationError if the credential's base URL or access token cannot be used
 */
export async function connect(context: CrewContext): Promise<Crew> {
	const credential = await context.getCredentials<CrewCredential>('crewApi');
	try {
		const baseUrl = readBaseUrl(credential.baseUrl);
		readAccessToken(credential.accessToken);
		const sendNow = sendThroughN8n(context, baseUrl, credential);
		return { baseUrl, credential, client: createClient(baseUrl, sendNow, AT_ONCE) };
	} catch (error) {
		throw new NodeOperationError(context.getNode(), (error as Error).message, {
			description: 'Open the Crew API credential of this node and change it.',
		});
	}
}

/**
 * Returns a client for a crew whose credential has been read, which sends through `context` and the
 * queues that all executions share.
 *
 * @param abortSignal ends reads and pauses early, and cancels requests that were not sent
 */
export function paced(
	context: CrewContext,
	{ baseUrl, credential }: Pick<Crew, 'baseUrl' | 'credential'>,
	maxParallel = 0,
	abortSignal?: AbortSignal,
): PacedCrew {
	const sendNow = sendThroughN8n(context, baseUrl, credential);
	const pacer = new Pacer((method) => sharedQueue(baseUrl, method, maxParallel), abortSignal);
	const client = createClient(baseUrl, sendNow, pacer);
	return { baseUrl, credential, client, pacer, maxParallel };
}
