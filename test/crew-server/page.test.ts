import { startCrewServer, type CrewServer } from '../../crew-server/src';

let crew: CrewServer;
beforeAll(async () => {
	crew = await startCrewServer();
});
afterAll(() => crew.close());

const get = (path: string, headers: Record<string, string> = {}) =>
	fetch(crew.url + path, { headers });

it('is there for browsers, and the health word for all others', async () => {
	const page = await get('/', { accept: 'text/html,application/xhtml+xml' });
	expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
	expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
	expect(await page.text()).toContain('<title>Crew server</title>');
	expect(await (await get('/')).text()).toBe('Healthy');
});

it('shows nothing to whoever lacks the organisation token', async () => {
	expect((await get('/page/changes')).status).toBe(401);
	const user = await get('/page/changes', { authorization: `Bearer ${crew.userAccessToken}` });
	expect(user.status).toBe(401);
	expect((await get('/page/../package.json')).status).toBe(404);
});
