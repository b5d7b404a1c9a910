import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCrewServer, type CrewServer } from '../../../crew-server/src';
import { addresses } from '../../../sandbox/src/addresses';
import { repositoryFolder } from '../../../sandbox/src/paths';

let crew: CrewServer;
beforeAll(async () => {
	crew = await startCrewServer();
});
afterAll(() => crew.close());

const said = () => {
	const login = { email: 'owner@example.com', password: 'Password-1' };
	const n8n = { logFile: '/home/n8n.log' };
	return addresses({ url: 'http://127.0.0.1:5678', login, n8n, crew }, crew);
};

test('`npm start` says where all is that it has started', () => {
	for (const one of [crew.url, crew.accessToken, 'owner@example.com', '/home/n8n.log']) {
		expect(said()).toContain(one);
	}
});

test('`npm start` says how to go on with a project of one’s own', () => {
	const [, script = '', page = ''] =
		/project of your own: npm run (\S+) -- path\/to\/project\n.* credential .*\n\((\S+)\)/.exec(
			said(),
		) ?? [];
	const { scripts } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')) as {
		scripts: Record<string, string>;
	};
	expect(scripts[script]).toContain('crew-server');
	expect(existsSync(join(repositoryFolder, page))).toBe(true);
});
