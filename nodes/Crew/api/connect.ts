import { NodeOperationError } from 'n8n-workflow';
import { readAccessToken } from '../model/accessToken';
import { readBaseUrl } from '../model/baseUrl';
import { createClient, type CrewClient } from './client';
import { sendThroughN8n, type CrewContext, type CrewCredential } from './send';

/** A crew that the node's credential leads to. */
export interface Crew {
	client: CrewClient;
	baseUrl: string;
	credential: CrewCredential;
}

/**
 * Reads the node's credential and gives a client for its crew.
 *
 * @throws NodeOperationError where the credential's base URL or access token cannot be used
 */
export async function connect(context: CrewContext, abortSignal?: AbortSignal): Promise<Crew> {
	const credential = await context.getCredentials<CrewCredential>('crewApi');
	const { url, reason } = readBaseUrl(credential.baseUrl);
	const { reason: tokenReason } = readAccessToken(credential.accessToken);
	if (url === undefined || tokenReason !== undefined) {
		const message = reason ?? tokenReason ?? '';
		throw new NodeOperationError(context.getNode(), message, {
			description: 'Open the Crew API credential of this node and change it.',
		});
	}
	const send = sendThroughN8n(context, url, credential);
	return { client: createClient(url, send, abortSignal), baseUrl: url, credential };
}
