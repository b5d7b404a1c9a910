import nock from 'nock';
import { N8nApi } from '../../../sandbox/src/n8n-api';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import { N8nSession } from '../../../sandbox/src/n8n-session';

const N8N = 'http://127.0.0.1:5678';
const MOST_AT_ONCE = 100;

interface Started {
	id: string;
	startedAt: string;
}

/** n8n's list: latest start first; with a cursor, only those with an ID below the last one's. */
function listIn(executions: readonly Started[]): void {
	const latestFirst = [...executions].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
	nock(N8N)
		.persist()
		.get('/rest/executions')
		.query(true)
		.reply(200, (uri) => {
			const query = new URL(uri, N8N).searchParams;
			const { startedBefore } = JSON.parse(query.get('filter') ?? '{}') as {
				startedBefore?: string;
			};
			const belowId = Number(query.get('cursor') ?? Infinity);
			const results = latestFirst
				.filter(({ id }) => Number(id) < belowId)
				.filter(({ startedAt }) => startedBefore === undefined || startedAt <= startedBefore)
				.slice(0, MOST_AT_ONCE);
			const nextCursor = results.length < MOST_AT_ONCE ? null : results.at(-1)?.id;
			return { data: { results, nextCursor } };
		});
}

function startedInTurn(count: number): Started[] {
	return Array.from({ length: count }, (_, index) => ({
		id: String(index + 1),
		startedAt: new Date(Date.UTC(2026, 0, 1) + index).toISOString(),
	}));
}

describe('the list of executions', () => {
	const api = new N8nApi(new N8nSession(N8N, 'n8n-auth=signed-in'));

	it.each([0, 1, MOST_AT_ONCE, 250])('has all %d', async (count) => {
		listIn(startedInTurn(count));
		expect(await api.listExecutions()).toHaveLength(count);
	});

	it('has each one once, even if two at the end of a page did not start in the order of their IDs', async () => {
		const executions = startedInTurn(250);
		const [one, other] = [executions[149]!, executions[150]!];
		[one.startedAt, other.startedAt] = [other.startedAt, one.startedAt];
		listIn(executions);
		const ids = (await api.listExecutions({ workflowId: 'any' })).map(({ id }) => Number(id));
		expect(ids.sort((a, b) => a - b)).toEqual(executions.map(({ id }) => Number(id)));
	});
});

describe('a workflow that is activated', () => {
	const api = new N8nApi(new N8nSession(N8N, 'n8n-auth=signed-in'));
	const WORKFLOW = {
		id: '1',
		versionId: 'changed',
		nodes: [{ type: 'n8n-nodes-crew.crewTrigger', webhookId: 'trigger' }],
	} as StoredWorkflow;

	/** Like n8n 2.41: it answers first, and changes its webhooks one by one, a few requests later. */
	function activationIn(listensTo: string | undefined) {
		const changes: Array<string | undefined> = [];
		let current = listensTo;
		const change =
			(...versions: Array<string | undefined>) =>
			() => {
				changes.push(...versions);
				return [200, { data: {} }] as const;
			};
		nock(N8N).persist().post('/rest/workflows/1/activate').reply(change(undefined, 'changed'));
		nock(N8N).persist().post('/rest/workflows/1/deactivate').reply(change(undefined));
		nock(N8N)
			.persist()
			.get('/webhook/trigger/webhook')
			.reply(() => {
				const seen = current;
				if (changes.length > 0) current = changes.shift();
				return [404, { message: seen ? 'Did you mean to make a POST request?' : 'not registered' }];
			});
		return () => ({ current, isChanging: changes.length > 0 });
	}

	it.each([
		['was not active', undefined],
		['was already active', 'as it was'],
	])('has webhooks of its new version if it %s', async (_what, before) => {
		const state = activationIn(before);
		await api.activateWorkflow(WORKFLOW);
		expect(state()).toEqual({ current: 'changed', isChanging: false });
	});
});
