import { createHash } from 'node:crypto';
import type { CrewServer } from '../../crew-server/src';
import type { AsLeft } from './as-left';
import type { N8nApi } from './n8n-api';
import type { StoredCredential } from './n8n-types';

/** Names of the sandbox's credentials: one for each crew server that it starts. */
export const CREDENTIAL_NAMES = {
	research: 'Crew server',
	reviewedArticle: 'Crew that asks a person',
} as const;

/** Content of a credential for this crew server. */
export function credentialFor({ url, accessToken }: Pick<CrewServer, 'url' | 'accessToken'>) {
	return { baseUrl: url, accessToken, callbackSecret: 'sandbox-callback-secret' };
}

/**
 * Stores the credential; in a home that is used again, updates it with the crew's new address and token.
 *
 * @param asLeft knows whether the user has changed the credential, which then stays as it is
 */
export async function storeCrewCredential(
	api: N8nApi,
	crew: Pick<CrewServer, 'url' | 'accessToken'>,
	name: string = CREDENTIAL_NAMES.research,
	asLeft?: AsLeft,
): Promise<StoredCredential> {
	const stored = (await api.listCredentials()).find((credential) => credential.name === name);
	const content = credentialFor(crew);
	const mark = createHash('sha256').update(JSON.stringify(content)).digest('hex');
	if (stored !== undefined && asLeft?.isChanged(stored.id, stored.updatedAt)) return stored;
	// No needless update: n8n offers the newest credential first, which may be the user's own.
	if (stored !== undefined && asLeft?.isChanged(`${stored.id} of`, mark) === false) return stored;
	const left = await (stored === undefined
		? api.createCredential(name, 'crewApi', content)
		: api.updateCredential(stored, content));
	asLeft?.note(left.id, left.updatedAt);
	asLeft?.note(`${left.id} of`, mark);
	return left;
}

/** Stores the credentials for the examples. The one for a first workflow comes last: n8n offers the newest first. */
export async function storeExampleCredentials(
	api: N8nApi,
	crews: Record<keyof typeof CREDENTIAL_NAMES, Pick<CrewServer, 'url' | 'accessToken'>>,
	asLeft?: AsLeft,
): Promise<Record<keyof typeof CREDENTIAL_NAMES, StoredCredential>> {
	const store = async (crew: keyof typeof CREDENTIAL_NAMES) =>
		await storeCrewCredential(api, crews[crew], CREDENTIAL_NAMES[crew], asLeft);
	const reviewedArticle = await store('reviewedArticle');
	return { reviewedArticle, research: await store('research') };
}
