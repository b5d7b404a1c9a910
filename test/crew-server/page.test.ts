import { startCrewServer, type CrewServer } from '../../crew-server/src';
import type {
	CallbackView,
	CrewView,
	EventsView,
	ExecutionsView,
	ExecutionView,
	LineView,
	RequestView,
} from '../../crew-server/src/page/wire';
import { buildPage } from './support/builtPage';
import { Client } from './support/client';
import { startReceiver } from './support/receiver';
import { until } from './support/until';

let crew: CrewServer;
let client: Client;
beforeAll(() => {
	buildPage();
});
beforeEach(async () => {
	crew = await startCrewServer({ crew: 'reviewed-article' });
	client = new Client(crew);
});
afterEach(() => crew.close());

const get = (path: string, headers: Record<string, string> = {}) =>
	fetch(crew.url + path, { headers });

/** The answer of one of the page's routes. */
async function asked<T>(path: string, token = crew.accessToken): Promise<T> {
	const answer = await get(`/page/${path}`, { authorization: `Bearer ${token}` });
	if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
	return (await answer.json()) as T;
}

/** Sends a callback again. @returns the answer's status */
async function sendAgain(body: { id: string; callback: string }, token = crew.accessToken) {
	const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
	const sent = { method: 'POST', headers, body: JSON.stringify(body) };
	return (await fetch(`${crew.url}/page/send-again`, sent)).status;
}

const statusOf = async (path: string, token = crew.accessToken) =>
	(await get(`/page/${path}`, { authorization: `Bearer ${token}` })).status;

describe('what browsers load', () => {
	it('is served to browsers, and the health word to all others', async () => {
		const page = await get('/', { accept: 'text/html,application/xhtml+xml' });
		expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
		expect(await page.text()).toContain('<title>Crew server</title>');
		expect(await (await get('/')).text()).toBe('Healthy');
	});

	it('loads nothing from elsewhere, and turns no text into elements', async () => {
		const page = await get('/', { accept: 'text/html' });
		const policy = page.headers.get('content-security-policy') ?? '';
		expect(policy).not.toContain('unsafe');
		expect(policy).not.toMatch(/https?:|\*/);
		for (const part of ["default-src 'none'", "require-trusted-types-for 'script'"]) {
			expect(policy).toContain(part);
		}
		expect(await page.text()).not.toMatch(/https?:\/\//);
	});

	it('has at most 120 kB without the reference, compressed', async () => {
		let bytes = 0;
		for (const path of ['/', '/page/styles.css', '/page/page.js', '/page/shared.js']) {
			const packed = await get(path, { accept: 'text/html', 'accept-encoding': 'gzip' });
			expect([path, packed.headers.get('content-encoding')]).toEqual([path, 'gzip']);
			bytes += Number(packed.headers.get('content-length'));
			const plain = await get(path, { accept: 'text/html', 'accept-encoding': 'identity' });
			expect(await plain.text()).toBe(await packed.text());
		}
		expect(bytes).toBeGreaterThan(20_000);
		expect(bytes).toBeLessThanOrEqual(120_000);
	});
});

describe('the tokens and rules of the API', () => {
	const PATHS = ['crew', 'executions', 'execution?id=ID', 'events?id=ID&after=0'].concat([
		'event?id=ID&number=1',
		'text?id=ID&of=inputs',
		'callbacks?id=ID',
		'log?id=ID',
		'requests',
	]);

	it('hold: without a token, there is nothing', async () => {
		const id = await client.kickoff();
		for (const path of PATHS) {
			const { status } = await get(`/page/${path.replace('ID', id)}`);
			expect([path, status]).toEqual([path, 401]);
		}
		const sent = await fetch(`${crew.url}/page/send-again`, { method: 'POST' });
		expect(sent.status).toBe(401);
	});

	it('hold: a user sees what was started with the user token', async () => {
		const user = new Client(crew, crew.userAccessToken);
		const others = await client.kickoff();
		const own = await user.kickoff();
		const { found } = await asked<ExecutionsView>('executions', crew.userAccessToken);
		expect(found.map(({ kickoffId, owner }) => [kickoffId, owner])).toEqual([[own, 'user']]);
		for (const path of PATHS.filter((one) => one.includes('ID'))) {
			const status = await statusOf(path.replace('ID', others), crew.userAccessToken);
			expect([path, status]).toEqual([path, 404]);
			expect([path, await statusOf(path.replace('ID', own), crew.userAccessToken)]).toEqual([
				path,
				200,
			]);
		}
		const body = { id: others, callback: 'x' };
		expect(await sendAgain(body, crew.userAccessToken)).toBe(404);
		expect(await statusOf('requests', crew.userAccessToken)).toBe(404);
		const view = await asked<CrewView>('crew', crew.userAccessToken);
		expect(view).toMatchObject({ owner: 'user', hasRequests: false });
	});
});

describe('the lists', () => {
	it('describe the crew, and executions that match a search, page by page', async () => {
		expect(await asked<CrewView>('crew')).toMatchObject({
			name: 'reviewed-article',
			tasks: [{ name: 'write_draft', agent: 'Writer', humanInput: true }, { name: 'publish' }],
			owner: 'organisation',
			hasRequests: true,
		});
		const ids = [];
		for (const topic of ['Tea', 'Coffee', 'Tea again']) {
			ids.unshift(await client.kickoff({ inputs: { topic } }));
		}
		const found = async (query: string) => {
			const view = await asked<ExecutionsView>(`executions?${query}`);
			return [view.found.map(({ kickoffId }) => kickoffId), view.next] as const;
		};
		const [first, next] = await found('limit=2');
		expect(first).toEqual(ids.slice(0, 2));
		expect(await found(`limit=2&before=${next}`)).toEqual([ids.slice(2), undefined]);
		expect(await found('text=coffee')).toEqual([[ids[1]], undefined]);
		expect(await found('status=failed')).toEqual([[], undefined]);
		expect(await found(`from=${Date.now() + 60_000}`)).toEqual([[], undefined]);
		expect(await statusOf('executions?status=lost')).toBe(400);
		expect(await statusOf('executions?before=x')).toBe(400);
	});

	it('are sent again only once something has changed', async () => {
		for (const path of ['executions', 'execution?id=ID']) {
			const id = await client.kickoff();
			await client.untilStatus(id, 'pending_human_input');
			const authorization = `Bearer ${crew.accessToken}`;
			const look = (headers: Record<string, string>) =>
				get(`/page/${path.replace('ID', id)}`, headers);
			const first = await look({ authorization });
			const mark = first.headers.get('etag') ?? '';
			const same = { authorization, 'if-none-match': mark };
			expect((await look(same)).status).toBe(304);
			await client.post(`/stop/${id}`);
			expect((await look(same)).status).toBe(200);
		}
	});

	it('have the requests that the simulator received', async () => {
		await client.post('/kickoff', { inputs: {} });
		const { requests } = await asked<{ requests: RequestView[] }>('requests');
		expect(requests[0]).toMatchObject({ method: 'POST', path: '/kickoff', status: 422 });
		expect(requests[0]?.answer?.text).toContain('Missing required inputs');
	});
});

describe('an execution', () => {
	it('is shown with its questions and answers, its events and its log', async () => {
		const id = await client.kickoff({ meta: { order: 7 } });
		await client.untilStatus(id, 'pending_human_input');
		await client.resume(id, { is_approve: false, human_feedback: 'Shorter' });
		await until(async () => {
			const { questions } = await asked<ExecutionView>(`execution?id=${id}`);
			return questions.length === 2;
		});
		await client.resume(id);
		await client.untilStatus(id, 'completed');
		const view = await asked<ExecutionView>(`execution?id=${id}`);
		expect(view).toMatchObject({
			kickoffId: id,
			status: 'completed',
			owner: 'organisation',
			questions: [
				{ taskId: 'write_draft', answer: { isApprove: false, feedback: 'Shorter' } },
				{ taskId: 'write_draft', answer: { isApprove: true, feedback: 'Good' } },
			],
			tasks: [{ attempts: 2, state: 'completed' }, { attempts: 1 }],
		});
		expect(view.meta?.text).toBe(JSON.stringify({ order: 7 }, null, 2));
		const { events, hasMore } = await asked<EventsView>(`events?id=${id}&after=0`);
		expect([events.length, hasMore]).toEqual([view.events, false]);
		expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
		expect(events[0]).toMatchObject({ type: 'crew_kickoff_started', data: { inputs: {} } });
		const tool = events.find(({ type }) => type === 'tool_usage_finished');
		expect(tool?.data).toMatchObject({ task_id: 'write_draft', agent_role: 'Writer' });
		const { lines } = await asked<{ lines: LineView[] }>(`log?id=${id}`);
		expect(lines.map(({ text }) => text)).toEqual(
			expect.arrayContaining(['crew_kickoff_started', 'rejected task_id=write_draft']),
		);
	});

	it('has the beginnings of long texts, and all of them on demand', async () => {
		const topic = 'x'.repeat(30_000);
		const id = await client.kickoff({ inputs: { topic } });
		await client.untilStatus(id, 'pending_human_input');
		const view = await asked<ExecutionView>(`execution?id=${id}`);
		expect(view.inputs.text).toHaveLength(20_000);
		expect(view.inputs.of).toBeGreaterThan(30_000);
		const text = async (of: string) =>
			(await asked<{ text: string }>(`text?id=${id}&of=${of}`)).text;
		expect(JSON.parse(await text('inputs'))).toEqual({ topic });
		expect(await text('question:1')).toContain(topic);
		expect(await text('output:write_draft')).toContain(topic);
		expect(await statusOf(`text?id=${id}&of=output:none`)).toBe(404);
		expect(await statusOf(`text?id=${id}&of=other`)).toBe(404);
		const { events } = await asked<EventsView>(`events?id=${id}&after=0`);
		expect(events[0]).toMatchObject({ isCut: true });
		expect(JSON.stringify(events[0]).length).toBeLessThan(2_000);
		const whole = await asked<{ data: unknown }>(`event?id=${id}&number=1`);
		expect(whole.data).toMatchObject({ inputs: { topic } });
	});

	it('has deep JSON on one line', async () => {
		const deep = `${'['.repeat(480)}0${']'.repeat(480)}`;
		const inputs = `{"topic":"Tea","more":[${Array(20).fill(deep).join()}]}`;
		const { body } = await client.post('/kickoff', `{"inputs":${inputs}}`);
		const id = String(body['kickoff_id']);
		const shown = await asked<ExecutionView>(`execution?id=${id}`);
		expect(shown.inputs.text).toBe(inputs);
		expect(await asked(`text?id=${id}&of=inputs`)).toEqual({ text: inputs });
	});

	it('has its callbacks with each attempt; one that failed is sent again, with the same webhook-id', async () => {
		let isRefused = true;
		const receiver = await startReceiver(() => (isRefused ? 400 : 200));
		const authentication = { strategy: 'bearer', token: 'of-the-receiver' };
		const id = await client.kickoff({
			humanInputWebhook: { url: `${receiver.url}/ask`, authentication },
		});
		const callbacks = async () =>
			(await asked<{ callbacks: CallbackView[] }>(`callbacks?id=${id}`)).callbacks;
		const [given] = await until(async () => {
			const all = await callbacks();
			return all[0]?.fate === 'given_up' && all;
		});
		expect(given).toMatchObject({
			kind: 'human_input',
			attempts: [{ status: 400 }],
			isWhole: true,
		});
		expect(JSON.stringify(given)).not.toContain('of-the-receiver');
		isRefused = false;
		const again = { id, callback: given!.id };
		expect(await sendAgain(again)).toBe(200);
		await until(async () => (await callbacks())[0]?.fate === 'delivered');
		const [first, second] = receiver.received;
		expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
		expect(second?.headers.authorization).toBe('Bearer of-the-receiver');
		expect(second?.body).toEqual(first?.body);
		expect((await callbacks())[0]?.attempts).toMatchObject([{ status: 400 }, { status: 200 }]);
		expect(await sendAgain(again)).toBe(400);
		expect(await sendAgain({ id, callback: 'other' })).toBe(404);
		await receiver.close();
	});
});
