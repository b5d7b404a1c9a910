import { NodeOperationError } from 'n8n-workflow';
import { readAccessToken } from '../model/accessToken';
import { readBaseUrl } from '../model/baseUrl';
import { createClient, type CrewClient } from './client';
import { Lane } from './lane';
import { sendThroughN8n, type CrewContext, type CrewCredential } from './send';

/** A crew that the node's credential leads to. */
export interface Crew {
	client: CrewClient;
	baseUrl: string;
	credential: CrewCredential;
}

/** A crew whose requests go through the gates that all executions share. */
export interface CrewInLane extends Crew {
	lane: Lane;
}

/**
 * Reads the node's credential and gives a client for its crew.
 *
 * @throws NodeOperationError where the credential's base URL or access token cannot be used
 */
export async function connect(context: CrewContext): Promise<Crew> {
	const credential = await context.getCredentials<CrewCredential>('crewApi');
	const { url, reason } = readBaseUrl(credential.baseUrl);
	const { reason: tokenReason } = readAccessToken(credential.accessToken);
	if (url === undefined || tokenReason !== undefined) {
		const message = reason ?? tokenReason ?? '';
		throw new NodeOperationError(context.getNode(), message, {
			description: 'Open the Crew API credential of this node and change it.',
		});
	}
	const crew = { baseUrl: url, credential };
	return { ...crew, client: createClient(url, sendThroughN8n(context, url, credential)) };
}

/**
 * Gives a client for a crew whose credential has been read, which sends through `context` and through
 * the gates that all executions share.
 *
 * @param maxParallel how many requests to send at once; 0 finds that out
 * @param abortSignal ends reads and pauses early
 */
export function inLane(
	context: CrewContext,
	{ baseUrl, credential }: Pick<Crew, 'baseUrl' | 'credential'>,
	maxParallel = 0,
	abortSignal?: AbortSignal,
): CrewInLane {
	const sendNow = sendThroughN8n(context, baseUrl, credential);
	const lane = new Lane(context.getNode(), baseUrl, maxParallel, sendNow, abortSignal);
	return { baseUrl, credential, lane, client: createClient(baseUrl, lane.send, abortSignal) };
}
