import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';
import { anyNumber, having } from './support/matchers';
import { startReceiver } from './support/receiver';

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

it('shows nothing to anyone without the organization token', async () => {
	expect((await get('/page/changes')).status).toBe(401);
	const user = await get('/page/changes', { authorization: `Bearer ${crew.userAccessToken}` });
	expect(user.status).toBe(401);
	expect((await get('/page/../package.json')).status).toBe(404);
});

interface List {
	order: string[];
	changed: Array<Record<string, unknown>>;
}
type Message = Record<'executions' | 'callbacks' | 'requests', List> & { crew?: { name: string } };

/** What the page is told, message by message, until the test ends. */
async function* changesOf({ url, accessToken }: CrewServer): AsyncGenerator<Message> {
	const { body } = await fetch(`${url}/page/changes`, {
		headers: { authorization: `Bearer ${accessToken}` },
	});
	let text = '';
	for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
		const lines = (text + chunk).split('\n');
		text = lines.pop() ?? '';
		for (const line of lines)
			if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as Message;
	}
}

it('is told of executions, callbacks and requests, and then of what has changed', async () => {
	const reviewed = await startCrewServer({ crew: 'reviewed-article' });
	const client = new Client(reviewed);
	const receiver = await startReceiver();
	const seen = new Map<unknown, Record<string, unknown>>();
	let id = '';
	for await (const { crew: described, executions, callbacks, requests } of changesOf(reviewed)) {
		if (described) {
			expect(described.name).toBe('reviewed-article');
			expect([executions, callbacks, requests]).toEqual(Array(3).fill({ order: [], changed: [] }));
			id = await client.kickoff({ crewWebhookUrl: `${receiver.url}/crew` });
		}
		for (const one of executions.changed) seen.set('execution', one);
		for (const one of callbacks.changed) seen.set('callback', one);
		for (const one of requests.changed) seen.set(one['path'], one);
		if (seen.get('execution')?.['state'] === 'pending_human_input' && !seen.has('/resume')) {
			const [task] = seen.get('execution')!['tasks'] as Array<Record<string, unknown>>;
			expect(task).toMatchObject({ state: 'pending_human_input', attempts: 1 });
			expect(task!['output']).toContain('# Tea');
			await client.resume(id, { crewWebhookUrl: `${receiver.url}/crew` });
		}
		if (seen.get('callback')?.['fate'] === 'delivered') break;
	}
	expect(seen.get('execution')).toMatchObject({ kickoffId: id, state: 'completed' });
	expect(seen.get('callback')).toMatchObject({
		kind: 'crew',
		status: 200,
		attempts: [{ at: anyNumber, status: 200 }],
		body: having({ kickoff_id: id }),
	});
	expect(seen.get('/resume')).toMatchObject({ method: 'POST', status: 200, isOpen: false });
	await reviewed.close();
	await receiver.close();
});
