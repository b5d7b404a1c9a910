import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCrewServer, type CrewServer } from '../../../crew-server/src';
import { addresses } from '../../../sandbox/src/addresses';
import { N8nApi } from '../../../sandbox/src/n8n-api';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import type { N8nSession } from '../../../sandbox/src/n8n-session';
import { repositoryFolder } from '../../../sandbox/src/paths';

let crew: CrewServer;
beforeAll(async () => {
	crew = await startCrewServer();
});
afterAll(() => crew.close());

const url = 'http://127.0.0.1:5678';
const stored = (id: string, nodes: object[] = []) => ({ id, nodes }) as unknown as StoredWorkflow;
const workflows = new Map([
	['wait-by-callback.json', stored('third')],
	[
		'approve-on-one-canvas.json',
		stored('sixth', [{ type: 'n8n-nodes-base.formTrigger', webhookId: 'the-form' }]),
	],
	['approve-by-trigger.json', stored('seventh')],
	['watch-live.json', stored('eighth')],
]);

const said = () => {
	const login = { email: 'owner@example.com', password: 'Password-1' };
	const n8n = { logFile: '/home/n8n.log' };
	const api = new N8nApi({ url } as unknown as N8nSession);
	return addresses({ url, login, n8n, crew, api }, crew, workflows);
};

test('`npm start` links to the canvas of an example, and says what to click there', () => {
	expect(said()).toContain(`click "Execute workflow" at\n            ${url}/workflow/third\n`);
	for (const one of [`${url}/form/the-form`, `${url}/workflow/seventh`, `${url}/workflow/eighth`]) {
		expect(said()).toContain(one);
	}
});

test.each([
	['wait-by-callback.json', ['Use the Result']],
	['approve-by-trigger.json', ['When clicking Execute', 'Link to the Form']],
	['watch-live.json', ['When clicking Execute', 'Write a Message']],
])('the nodes of %s that it names exist', (file, names) => {
	const text = readFileSync(join(repositoryFolder, 'examples', file), 'utf8');
	const { nodes } = JSON.parse(text) as { nodes: Array<{ name: string }> };
	for (const name of names) {
		expect(said()).toContain(name);
		expect(nodes.map((node) => node.name)).toContain(name);
	}
});

test('`npm start` prints the addresses and logins of everything that it has started', () => {
	for (const one of [crew.url, crew.accessToken, 'owner@example.com', '/home/n8n.log']) {
		expect(said()).toContain(one);
	}
});

test('`npm start` says how to continue with your own project', () => {
	const [, script = '', page = ''] =
		/your own CrewAI project, run npm run (\S+) -- path\/to\/project[^(]* credential [^(]*\((\S+)\)/.exec(
			said(),
		) ?? [];
	const { scripts } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')) as {
		scripts: Record<string, string>;
	};
	expect(scripts[script]).toContain('crew-server');
	expect(existsSync(join(repositoryFolder, page))).toBe(true);
});
