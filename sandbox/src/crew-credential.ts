import type { CrewServer } from '../../crew-server/src';
import type { AsLeft } from './as-left';
import type { N8nApi, StoredCredential } from './n8n-api';

/** Names of the sandbox's credentials: one for each crew server that it starts. */
export const CREDENTIAL_NAMES = {
	research: 'Crew server',
	reviewedArticle: 'Crew server that asks a person',
} as const;

/** Content of a credential that leads n8n to this crew server. */
export function credentialFor({ url, accessToken }: Pick<CrewServer, 'url' | 'accessToken'>) {
	return { baseUrl: url, accessToken, callbackSecret: 'sandbox-callback-secret' };
}

/**
 * Stores the credential; in a home that is used again it follows the crew to its new address and token.
 *
 * @param asLeft knows whether the user has changed it: then it stays as it is
 */
export async function storeCrewCredential(
	api: N8nApi,
	crew: Pick<CrewServer, 'url' | 'accessToken'>,
	name: string = CREDENTIAL_NAMES.research,
	asLeft?: AsLeft,
): Promise<StoredCredential> {
	const stored = (await api.listCredentials()).find((credential) => credential.name === name);
	if (stored !== undefined && asLeft?.isChanged(stored.id, stored.updatedAt)) return stored;
	const left = await (stored === undefined
		? api.createCredential(name, 'crewApi', credentialFor(crew))
		: api.updateCredential(stored, credentialFor(crew)));
	asLeft?.note(left.id, left.updatedAt);
	return left;
}
