import type { CrewServerOptions } from '../../../crew-server/src';
import type { Teardown } from '../../../sandbox/src/teardown';
import { launchChromium } from './chromium';
import { Editor } from './editor';
import { startSharedSandbox, type SharedSandbox } from './sharedSandbox';

/** A user in front of the shared n8n. The credential is its only one, so a new node has it already. */
export interface UserSession extends SharedSandbox {
	editor: Editor;
}

/** Opens a browser on the shared n8n, signed in, with its own crew server. */
export async function startUserSession(
	teardown: Teardown,
	crew: CrewServerOptions = {},
): Promise<UserSession> {
	const sandbox = await startSharedSandbox({ teardown, crew });
	const browser = await launchChromium();
	teardown.add(() => browser.close());
	const editor = await Editor.open(browser, sandbox.api.session);
	return { ...sandbox, editor };
}
