import type { CrewServer } from '../../crew-server/src';
import type { Sandbox } from './sandbox';

type Started = Pick<Sandbox, 'url' | 'login' | 'crew'> & { n8n: Pick<Sandbox['n8n'], 'logFile'> };

/** What `npm start` says once all is there: where it is, and how to go on. */
export function addresses({ url, login, crew, n8n }: Started, asking: CrewServer): string {
	return `
n8n         ${url}
  e-mail    ${login.email}
  password  ${login.password}
  log       ${n8n.logFile}
Crew server  ${crew.url}
  token     ${crew.accessToken}
One that asks a person
            ${asking.url}
  token     ${asking.accessToken}

To go on with a CrewAI project of your own: npm run crew -- path/to/project
in another terminal, and a credential in n8n with the URL and the token that it prints
(docs/your-crew-in-n8n.md).

Ctrl-C ends all of it.`;
}
