import { startCrewServer } from '../../../crew-server/src';
import { CREDENTIAL_NAMES, storeCrewCredential } from '../../../sandbox/src/crew-credential';
import { settleIn } from '../../../sandbox/src/examples';
import type { StoredWorkflow, WorkflowDefinition } from '../../../sandbox/src/n8n-types';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/src/sandbox';
import type { SavedSurroundings } from '../../support/saved/runInN8n';
import { timedCrew } from '../../support/timedCrew';

/** An n8n for saved workflows, with a crew that takes a given time, and one that asks a person. */
export interface SavedSandbox {
	surroundings: SavedSurroundings;
	/** Stores a workflow with the addresses and credentials of this n8n. */
	store: (workflow: WorkflowDefinition) => Promise<StoredWorkflow>;
}

/** Starts it; the teardown in `options` ends it. */
export async function startSavedSandbox(
	options: SandboxOptions & Required<Pick<SandboxOptions, 'teardown'>>,
	start: (options: SandboxOptions) => Promise<Sandbox> = startSandbox,
): Promise<SavedSandbox> {
	const { api, crew, credential } = await start({ ...options, crew: { crew: timedCrew } });
	const asking = await startCrewServer({ crew: 'reviewed-article' });
	options.teardown.add(() => asking.close());
	const name = CREDENTIAL_NAMES.reviewedArticle;
	const credentials = {
		research: credential,
		reviewedArticle: await storeCrewCredential(api, asking, name),
	};
	return {
		surroundings: { api, crews: [crew, asking] },
		store: (workflow) => api.createWorkflow(settleIn(workflow, api.webhookUrl, credentials)),
	};
}
