import { startCrewServer, type CrewServerOptions } from '../../../crew-server/src';
import { storeCrewCredential } from '../../../sandbox/src/crew-credential';
import { usualDialect } from '../../../sandbox/src/crew-dialect';
import { N8nApi } from '../../../sandbox/src/n8n-api';
import type { N8nProcess } from '../../../sandbox/src/n8n-process';
import type { Sandbox } from '../../../sandbox/src/sandbox';
import type { Teardown } from '../../../sandbox/src/teardown';
import { waitFor } from '../../../sandbox/src/wait-for';
import { shownPort } from './pictures';
import { sharedN8n } from './sharedN8n';

/** A sandbox whose n8n other test files use, too, so that nobody may end it. */
export interface SharedSandbox extends Pick<
	Sandbox,
	'url' | 'home' | 'api' | 'crew' | 'credential'
> {
	n8n: Pick<N8nProcess, 'logFile'>;
}

/** Starts a crew server, with a credential for it in the shared n8n. `teardown` leaves n8n as if it were new. */
export async function startSharedSandbox({
	teardown,
	crew: options,
}: {
	teardown: Teardown;
	crew?: CrewServerOptions;
}): Promise<SharedSandbox> {
	const { session, home, logFile, secrets } = await sharedN8n(teardown);
	const { url } = session;
	const api = new N8nApi(session);
	await untilAnswered(url);
	await clear(api);
	teardown.add(() => clear(api));
	const crew = await startCrewServer({
		port: shownPort(8321),
		simulate: true,
		dialect: usualDialect(),
		...options,
	});
	teardown.add(() => crew.close());
	secrets.noteCrew(crew);
	const credential = await storeCrewCredential(api, crew);
	return { url, home, api, n8n: { logFile }, crew, credential };
}

/** Only archives workflows, since what n8n has stored about their executions is searched in the end. */
async function clear(api: N8nApi): Promise<void> {
	for (const { id } of await api.listWorkflows()) await api.archiveWorkflow(id);
	for (const credential of await api.listCredentials()) await api.deleteCredential(credential);
}

/** Waits for an answer: connections that were idle since the last file are closed by now, which only a request finds out. */
async function untilAnswered(url: string): Promise<void> {
	await waitFor(`n8n to answer at ${url}`, async () => {
		const answer = await fetch(`${url}/healthz`).catch(() => undefined);
		return answer?.ok;
	});
}
