import { startCrewServer, type CrewDefinition, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';
import { textWith } from './support/matchers';

/** Which states can be restored. That a flow really starts from one is tested with CrewAI. */

const FLOW: CrewDefinition = {
	name: 'talk',
	kind: 'flow',
	persists: true,
	inputs: [{ name: 'said', type: 'string', required: true }],
	tasks: [
		{
			name: 'hear',
			description: 'D',
			expectedOutput: '',
			agent: 'talk',
			output: '{said}',
			duration: 1,
		},
	],
};

let crew: CrewServer;
let client: Client;

async function deploy(definition: CrewDefinition, dialect: 'both' | 'platform' = 'both') {
	crew = await startCrewServer({ crew: definition, dialect });
	client = new Client(crew);
}
afterEach(() => crew.close());

const newest = async () => (await crew.executions()).at(-1)!;
const inputs = { said: 'Hello' };

it('accepts an earlier execution, and then requires no inputs', async () => {
	await deploy(FLOW);
	const first = await client.kickoff({ inputs });
	await client.untilStatus(first, 'completed');
	await client.kickoff({ inputs: {}, restoreFromStateId: first.toUpperCase() });
	expect(await newest()).toMatchObject({ restoredFrom: first, inputs: {} });
	await client.kickoff({ inputs, restoreFromStateId: null });
	expect((await newest()).restoredFrom).toBeUndefined();
	for (const body of [{}, { inputs: {} }, { inputs: {}, restoreFromStateId: null }]) {
		expect(await client.post('/kickoff', body)).toMatchObject({
			status: 422,
			body: { details: { missing_inputs: ['said'] } },
		});
	}
});

it('refuses an unknown execution, one without a state, and one that someone else has started', async () => {
	await deploy(FLOW);
	const failed = await client.kickoff({ inputs }, { 'x-crew-fault': 'task-fails@hear' });
	await client.untilStatus(failed, 'error');
	const other = await client.kickoff({ inputs });
	await client.untilStatus(other, 'completed');
	const user = new Client(crew, crew.userAccessToken);
	const started = crew.started();
	for (const [who, id] of [
		[client, 'none'],
		[client, failed],
		[user, other],
	] as const) {
		expect(await who.post('/kickoff', { inputs, restoreFromStateId: id })).toMatchObject({
			status: 404,
			body: { error: 'Not Found', message: textWith(`no state of "${id}" to restore: give`) },
		});
	}
	expect(crew.started()).toBe(started);
});

it('is refused by a crew and by a flow that keeps no state, with advice to leave it out', async () => {
	await deploy({ ...FLOW, persists: false });
	expect(await client.post('/kickoff', { inputs, restoreFromStateId: 'any' })).toMatchObject({
		status: 400,
		body: {
			message: textWith('is for flows with @persist'),
			details: { invalid_fields: [{ field: 'restoreFromStateId' }] },
		},
	});
});

it.each([true, false])(
	'is silently ignored on the platform, whether states are kept or not: %s',
	async (persists) => {
		await deploy({ ...FLOW, persists }, 'platform');
		await client.kickoff({ inputs, restoreFromStateId: 'any' });
		expect((await newest()).restoredFrom).toBeUndefined();
	},
);
