import type { CrewServer } from '../../crew-server/src';
import type { N8nApi } from './n8n-api';
import type { StoredWorkflow } from './n8n-types';
import type { Sandbox } from './sandbox';

type Started = Pick<Sandbox, 'url' | 'login' | 'crew'> & {
	n8n: Pick<Sandbox['n8n'], 'logFile'>;
	api: Pick<N8nApi, 'productionUrl'>;
};

/** What `npm start` prints when everything is running: the addresses, and what to do next. */
export function addresses(
	{ url, login, crew, n8n, api }: Started,
	asking: CrewServer,
	workflows: ReadonlyMap<string, StoredWorkflow>,
): string {
	const canvas = (file: string) => `${url}/workflow/${workflows.get(file)?.id ?? ''}`;
	const [form] = (workflows.get('approve-on-one-canvas.json')?.nodes ?? []).flatMap(
		(node) => api.productionUrl(node) ?? [],
	);
	return `
n8n         ${url}
  e-mail    ${login.email}
  password  ${login.password}
  log       ${n8n.logFile}
Crew server  ${crew.url}
  token     ${crew.accessToken}
Crew that asks a person
            ${asking.url}
  token     ${asking.accessToken}

Start with example 3: sign in, and click "Execute workflow" at
            ${canvas('wait-by-callback.json')}
Then double-click the node "Use the Result". The crews are simulated: no model writes the texts.

Example 6 is a form to fill in:
            ${form ?? canvas('approve-on-one-canvas.json')}
Examples 7 and 8 have two halves: click the arrow beside "Execute workflow", choose
"from When clicking Execute", and click "Execute workflow". A moment later, "Executions"
shows what the crew's call started. In 7, it waits: its node "Link to the Form" has the
address of the form. In 8, "Write a Message" has the message.
            ${canvas('approve-by-trigger.json')}
            ${canvas('watch-live.json')}
Your changes in n8n are kept for the next start.

To use your own CrewAI project, run npm run crew -- path/to/project in another
terminal, and create a credential in n8n with the URL and the token that it prints
(docs/your-crew-in-n8n.md).

Press Ctrl-C to stop everything.`;
}
