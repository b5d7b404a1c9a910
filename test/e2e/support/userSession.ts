import { startLocalCrew, type LocalCrew, type LocalCrewOptions } from '../../../local-crew/src';
import { credentialFor } from '../../../sandbox/src/crew-credential';
import { usualDialect } from '../../../sandbox/src/crew-dialect';
import { N8nApi, type StoredCredential } from '../../../sandbox/src/n8n-api';
import type { Teardown } from '../../../sandbox/src/teardown';
import { waitFor } from '../../../sandbox/src/wait-for';
import { launchChromium } from './chromium';
import { Editor } from './editor';
import { sharedN8n } from './sharedN8n';

/** A user in front of the shared n8n, with a crew of their own. */
export interface UserSession {
	url: string;
	editor: Editor;
	api: N8nApi;
	crew: LocalCrew;
	/** Leads to the crew. It is n8n's newest, so a new node has it already. */
	credential: StoredCredential;
}

/** Opens a browser on the shared n8n, signed in, and stores a credential for a new local crew. */
export async function startUserSession(
	teardown: Teardown,
	options: LocalCrewOptions = {},
): Promise<UserSession> {
	const session = sharedN8n(teardown);
	const { url } = session;
	const crew = await startLocalCrew({ dialect: usualDialect(), ...options });
	teardown.add(() => crew.close());
	await untilAnswered(url);
	const api = new N8nApi(session);
	const credential = await api.createCredential('Local crew', 'crewApi', credentialFor(crew));
	teardown.add(() => api.deleteCredential(credential));
	const browser = await launchChromium();
	teardown.add(() => browser.close());
	const editor = await Editor.open(browser, session);
	return { url, editor, api, crew, credential };
}

/** Connections that were left idle since the last file are closed by now; only a request finds that out. */
async function untilAnswered(url: string): Promise<void> {
	await waitFor(`n8n to answer at ${url}`, async () => {
		const answer = await fetch(`${url}/healthz`).catch(() => undefined);
		return answer?.ok;
	});
}
