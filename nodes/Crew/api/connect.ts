import { NodeOperationError } from 'n8n-workflow';
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
 * @throws NodeOperationError where the credential's base URL cannot be used
 */
export async function connect(context: CrewContext, abortSignal?: AbortSignal): Promise<Crew> {
	const credential = await context.getCredentials<CrewCredential>('crewApi');
	const { url, reason } = readBaseUrl(credential.baseUrl);
	if (url === undefined) {
		throw new NodeOperationError(context.getNode(), reason, {
			description: 'Open the Crew API credential of this node and change its base URL.',
		});
	}
	const send = sendThroughN8n(context, url, credential);
	return { client: createClient(url, send, abortSignal), baseUrl: url, credential };
}
