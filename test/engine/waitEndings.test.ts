import { endAllPollers } from '../../nodes/Crew/waiting/backgroundPoller';
import type { CrewNode } from '../support/engine';
import { stopTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { idOf, WAIT, WaitingCrew } from '../support/waitingCrew';

beforeEach(stopTime);
afterEach(() => {
	endAllPollers();
	jest.useRealTimers();
});

/** Parks an execution that waits for one crew. */
async function parkOne(parameters: CrewNode['parameters'] = {}) {
	const crew = new WaitingCrew();
	const parked = await ParkedExecution.park(
		{ parameters: { ...WAIT, ...parameters } },
		{ credential: { baseUrl: crew.baseUrl } },
	);
	return { crew, parked, urls: crew.urls() };
}

type Kind = 'crew' | 'human_input' | 'stream';

const event = (type: string, data: unknown) => ({
	events: [{ id: 'e', execution_id: idOf(0), timestamp: '2025-01-01T00:00:00Z', type, data }],
});

/** Each way in which a wait ends: what is called, what the status endpoint says, and the item. */
const ENDINGS: Array<
	[what: string, kind: Kind, body: unknown, status: unknown, item: Record<string, unknown>]
> = [
	[
		'has completed, with the whole result that the status endpoint knows',
		'crew',
		{ kickoff_id: idOf(0), result: 'Short' },
		{ status: 'completed', result: { output: 'Long', tasks: [{ task_id: 'a' }] } },
		{ status: 'completed', output: 'Long', tasks: [{ task_id: 'a' }] },
	],
	[
		'has failed, as the crew callback says, and the status does not know the execution',
		'crew',
		{ kickoff_id: idOf(0), status: 'error', error: 'No bees' },
		{ state: 'NOT FOUND' },
		{ status: 'failed', error: 'No bees' },
	],
	[
		'has failed, as the stream says, and the status does not know the execution',
		'stream',
		event('crew_kickoff_failed', { error: 'No bees' }),
		{ state: 'NOT FOUND' },
		{ status: 'failed', error: 'No bees' },
	],
	[
		'has failed, as the status says behind a callback of completion',
		'crew',
		{ kickoff_id: idOf(0), result: null },
		{ state: 'FAILURE', result: 'Out of bees' },
		{ status: 'failed', error: 'Out of bees' },
	],
	['was stopped', 'crew', { kickoff_id: idOf(0) }, { state: 'REVOKED' }, { status: 'stopped' }],
	[
		'asks a person, and the status does not know the execution',
		'human_input',
		{ execution_id: idOf(0), task_id: 'write', output: 'A draft' },
		{ state: 'NOT FOUND', status: 'Task not found or Invalid kickoff id' },
		{ status: 'pending_human_input', task_id: 'write', task_output: 'A draft' },
	],
	[
		'asks a person, of which the status endpoint knows less',
		'human_input',
		{ execution_id: idOf(0), task_id: 'write', output: 'A draft' },
		{ status: 'Pending Human Input', progress: { completed_tasks: 1 } },
		{
			status: 'pending_human_input',
			task_id: 'write',
			task_output: 'A draft',
			progress: { completed_tasks: 1 },
		},
	],
	[
		'asks a person, with the platform’s word and the previous task',
		'human_input',
		{
			...{ kickoff_id: idOf(0), execution_id: idOf(0) },
			task_id: 'a-uuid',
			task_output: 'A draft',
		},
		{ state: 'PAUSED', status: null, last_executed_task: { name: 'find', output: 'Sources' } },
		{
			...{ status: 'pending_human_input', task_id: 'a-uuid', task_output: 'A draft' },
			progress: { last_executed_task: { name: 'find', output: 'Sources' } },
		},
	],
	[
		'has completed and is forgotten already',
		'crew',
		{ kickoff_id: idOf(0), result: 'Bees' },
		{ state: 'NOT FOUND' },
		{ status: 'completed', output: 'Bees' },
	],
	[
		'calls back without its ID',
		'crew',
		{ result: 'Bees' },
		{ status: 'completed', result: { output: 'Ants' } },
		{ status: 'completed', output: 'Ants' },
	],
];

describe('a parked execution continues when its crew', () => {
	it.each(ENDINGS)('%s', async (_what, kind, body, status, item) => {
		const { crew, parked, urls } = await parkOne();
		crew.answers.set(idOf(0), [200, status]);
		const { status: code, answer, resumed } = await parked.call(urls[kind], { body });
		expect(code).toBe(200);
		expect(answer).toEqual({ ended: true, message: 'The workflow goes on' });
		expect(resumed?.run.status).toBe('success');
		expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), ...item }]);
		expect(resumed?.outputs[0]?.[0]?.pairedItem).toEqual({ item: 0 });
	});
});

describe('the content of a callback counts if the status endpoint', () => {
	it.each<[string, readonly [number, unknown?]]>([
		['refuses the access token', [401, { detail: 'No' }]],
		['no longer knows the execution', [404, { detail: 'Not found' }]],
		['answers with a word that nobody knows', [200, { status: 'bees' }]],
	])('%s', async (_what, answer) => {
		const { crew, parked, urls } = await parkOne();
		crew.answers.set(idOf(0), answer);
		const body = { kickoff_id: idOf(0), result: '{"title":"Bees"}' };
		const { resumed } = await parked.call(urls.crew, { body });
		expect(resumed?.json).toEqual([
			{
				kickoff_id: idOf(0),
				status: 'completed',
				output: '{"title":"Bees"}',
				output_json: { title: 'Bees' },
			},
		]);
	});

	it('cannot be asked, since the credential was changed meanwhile', async () => {
		const crew = new WaitingCrew();
		const credential = { baseUrl: crew.baseUrl };
		const parked = await ParkedExecution.park({ parameters: WAIT }, { credential });
		credential.baseUrl = 'no address';
		// As after a restart of n8n.
		endAllPollers();
		const body = { kickoff_id: idOf(0), result: 'Bees' };
		const { resumed } = await parked.call(crew.urls().crew, { body });
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Bees' }]);
	});
});

it('a join ends by its callbacks alone if a process has no credential to ask with', async () => {
	const crew = new WaitingCrew();
	const credential = { baseUrl: crew.baseUrl };
	const parked = await ParkedExecution.park(
		{ parameters: WAIT },
		{ items: [{ n: 0 }, { n: 1 }], credential },
	);
	credential.baseUrl = '';
	endAllPollers();
	const end = async (n: number) =>
		await parked.call(crew.urls(n).crew, { body: { kickoff_id: idOf(n), result: `Text ${n}` } });
	expect(await end(1)).toMatchObject({ status: 200, answer: { ended: false } });
	expect((await end(0)).resumed?.json).toMatchObject([{ output: 'Text 0' }, { output: 'Text 1' }]);
	expect(crew.asked).toEqual([]);
});

describe('a parked execution stays parked', () => {
	const END = { kickoff_id: idOf(0), result: 'Bees' };
	it.each<[string, string, unknown]>([
		['a completed task', 'callback=task', { ...END, expected_output: 'Text', output: 'Bees' }],
		['a step', 'callback=step', { kickoff_id: idOf(0), thought: 'I search' }],
		['another event of the stream', 'callback=stream', event('task_completed', {})],
		['the end of another execution', 'callback=crew', { ...END, kickoff_id: 'another' }],
		['a body that is no callback', 'callback=', { hello: 'world' }],
		['a stream of values', 'callback=stream', { events: [7, null] }],
		['a callback of an earlier wait', 'wait=another', END],
		['a callback of no wait', 'wait=', END],
		['an item that is none', 'item=7', END],
		['an item with the name of a property', 'item=length', END],
		['an item of the prototype', 'item=__proto__', END],
	])('after %s', async (_what, change, body) => {
		const { crew, parked, urls } = await parkOne();
		const url = new URL(urls.crew);
		const [name = '', value = ''] = change.split('=');
		url.searchParams.set(name, value);
		const answer = await parked.call(url.href, { body });
		expect(answer).toMatchObject({ status: 200, answer: { ended: false } });
		expect(answer.resumed).toBeUndefined();
		expect(crew.asked).toEqual([]);
		// And it is still there for the callback that ends it.
		crew.complete(0);
		expect((await parked.call(urls.crew, { body: END })).resumed?.run.status).toBe('success');
	});

	it.each<[string, string, unknown]>([
		['an empty list', 'crew', []],
		['a list of values', 'crew', [7, 'Bees', null]],
		['text', 'crew', '"hello"'],
		['null', 'human_input', 'null'],
		['a hundred thousand levels', 'crew', '['.repeat(100_000) + ']'.repeat(100_000)],
	])('after a body that cannot be read, once the crew was asked: %s', async (_what, kind, body) => {
		const { crew, parked, urls } = await parkOne();
		const url = new URL(urls.crew);
		url.searchParams.set('callback', kind);
		expect((await parked.call(url.href, { body })).answer).toMatchObject({ ended: false });
		expect(crew.asked).toEqual([idOf(0)]);
		crew.complete(0);
		expect((await parked.call(url.href, { body })).resumed?.json).toMatchObject([
			{ status: 'completed', output: 'Text 0' },
		]);
	});

	it('after the end of an inner crew, which the stream of a flow reports', async () => {
		const { crew, parked, urls } = await parkOne();
		const body = event('crew_kickoff_failed', { error: 'The inner crew has failed' });
		expect((await parked.call(urls.stream, { body })).answer).toMatchObject({ ended: false });
		crew.complete(0);
		const { resumed } = await parked.call(urls.crew, { body: END });
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
	});

	it('until a callback whose body also contains JavaScript’s own names', async () => {
		const { crew, parked, urls } = await parkOne();
		crew.answers.set(idOf(0), [404, {}]);
		const body = '{"__proto__":{"event":"crew"},"constructor":{"prototype":{}},"result":"Bees"}';
		const { resumed } = await parked.call(urls.crew, { body });
		expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), status: 'completed', output: 'Bees' }]);
		expect(({} as { event?: string }).event).toBeUndefined();
	});
});

it('each round of a loop waits for its own crew', async () => {
	const crew = new WaitingCrew();
	const first = await ParkedExecution.park(
		{ parameters: WAIT },
		{ rounds: 2, credential: { baseUrl: crew.baseUrl } },
	);
	crew.complete(0);
	const body = { kickoff_id: idOf(0), result: 'Bees' };
	const second = first.parkedAgain((await first.call(crew.urls().crew, { body })).resumed);
	const [before = '', now = ''] = crew.kickoffs.map(({ crewWebhookUrl }) => crewWebhookUrl);
	expect((await second.call(before, { body })).answer).toMatchObject({ ended: false });
	expect((await second.call(now, { body })).resumed?.run.status).toBe('success');
	expect(crew.kickoffs).toHaveLength(2);
});

it('a node’s name can contain anything', async () => {
	const crew = new WaitingCrew();
	const name = 'Crew "{{ $json }}" \'`\\ }} ü';
	const parked = await ParkedExecution.park(
		{ name, parameters: WAIT },
		{ credential: { baseUrl: crew.baseUrl } },
	);
	crew.complete(0);
	const { resumed } = await parked.call(crew.urls().crew, { body: { result: 'Bees' } });
	expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
});

it('Simplify off adds the status endpoint’s whole answer', async () => {
	const { crew, parked, urls } = await parkOne({
		options: { ...WAIT.options, simplify: false },
	});
	crew.complete(0);
	const { resumed } = await parked.call(urls.crew, { body: { result: 'Bees' } });
	expect(resumed?.json).toMatchObject([
		{ status: 'completed', response: { status: 'completed', result: { output: 'Text 0' } } },
	]);
});
