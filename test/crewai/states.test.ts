import { join } from 'node:path';

import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../crew-server/src';
import { Client } from '../crew-server/support/client';
import { startReceiver } from '../crew-server/support/receiver';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python, type ProjectCopy } from './support/deployment';
import { pauseOrEnd } from './support/questions';

/** `restoreFromStateId`: a flow with `@persist` starts from the state of an earlier execution. */

let copy: ProjectCopy;
let crew: CrewServer | undefined;
let client: Client;

beforeAll(() => {
	copy = copyProject('talk_flow', {});
});
afterAll(() => {
	copy.remove();
});
afterEach(async () => {
	await crew?.close();
	crew = undefined;
});

async function deploy(crewName: string, options: CrewServerOptions = {}): Promise<void> {
	const project = { python, crewName };
	const dataFolder = join(copy.folder, `data-${crewName}`);
	crew = await startCrewServer({ crew: copy.folder, project, dataFolder, ...options });
	client = new Client(crew);
}

/** What a flow has returned, with the identifier of its execution. */
async function run(body: Record<string, unknown>): Promise<{ id: string; told: unknown }> {
	const id = await client.kickoff(body);
	const { result } = await pauseOrEnd(client, id);
	const { output } = (result ?? { output: 'null' }) as { output: string };
	return { id, told: JSON.parse(output) };
}

it('starts from an earlier execution’s state, with inputs on top, even in another process', async () => {
	await deploy('Talk');
	const first = await run({ inputs: { said: 'Hello', mood: 'glad' } });
	expect(first.told).toEqual({ id: first.id, said: 'Hello', mood: 'glad', heard: ['Hello'] });
	const again = { restoreFromStateId: first.id };
	const second = await run({ inputs: { said: 'How are you?' }, ...again });
	expect(second.id).not.toBe(first.id);
	const heard = ['Hello', 'How are you?'];
	expect(second.told).toEqual({ id: second.id, said: 'How are you?', mood: 'glad', heard });

	await crew?.close();
	await deploy('Talk');
	const third = await run({ inputs: { said: 'Bye' }, restoreFromStateId: second.id });
	expect(third.told).toMatchObject({ id: third.id, mood: 'glad', heard: [...heard, 'Bye'] });
	// The restored state itself does not change; and without inputs, nothing is on top.
	const other = await run({ inputs: {}, ...again });
	expect(other.told).toMatchObject({ id: other.id, said: 'Hello', heard: ['Hello', 'Hello'] });
	const none = await run({ inputs: { said: 'Hello' }, restoreFromStateId: null });
	expect(none.told).toMatchObject({ mood: 'calm', heard: ['Hello'] });

	// Neither an unknown execution nor one without a state, nor someone else's.
	const failed = await run({ inputs: { said: 'silence' } });
	for (const unknown of ['none', crypto.randomUUID(), failed.id]) {
		const body = { inputs: {}, restoreFromStateId: unknown };
		expect(await client.post('/kickoff', body)).toMatchObject({
			status: 404,
			body: { message: expect.stringContaining(`no state of "${unknown}"`) as string },
		});
	}
	const user = new Client(crew!, crew!.userAccessToken);
	expect((await user.post('/kickoff', { inputs: {}, ...again })).status).toBe(404);
});

it('finds the state that a method has stored, and says if there is none', async () => {
	await deploy('Notes');
	const first = await client.kickoff({ inputs: { said: 'nonsense' } });
	expect(await pauseOrEnd(client, first)).toMatchObject({ status: 'error' });
	const second = await run({ inputs: { said: 'sense' }, restoreFromStateId: first });
	expect(second.told).toEqual({ id: second.id, said: 'sense', notes: ['nonsense', 'sense'] });
	const early = await client.kickoff({ inputs: { said: 'silence' } });
	expect(await pauseOrEnd(client, early)).toMatchObject({ status: 'error' });
	expect(await client.post('/kickoff', { restoreFromStateId: early })).toMatchObject({
		status: 404,
	});
});

it('also works with the platform’s identifiers, and silently if there is no state', async () => {
	await deploy('Asking', { simulate: true, dialect: 'platform' });
	const { body } = await client.get('/inputs');
	expect(body).toEqual({ inputs: ['id', 'rounds'] });
	const receiver = await startReceiver();
	const humanInputWebhookUrl = receiver.url;
	const endOf = async (body: Record<string, unknown>) => {
		const asked = receiver.received.length;
		await client.post('/kickoff', { humanInputWebhookUrl, ...body });
		const question = await until(() => receiver.received[asked]?.body, PATIENCE);
		const { status, body: answer } = await client.post('/resume', {
			executionId: question['execution_id'],
			taskId: question['task_id'],
			human_feedback: 'Yes',
			is_approve: true,
		});
		expect(status).toBe(200);
		const id = String(answer['kickoff_id']);
		const end = await until(async () => {
			const { body: state } = await client.get(`/status/${id}`);
			return state['state'] === 'SUCCESS' && state;
		}, PATIENCE);
		expect(end['progress']).toMatchObject({ unit: 'step', completed: 2, total: null });
		return { id, begunAs: question['execution_id'], told: end['result_json'] };
	};
	const first = await endOf({});
	expect(first.told).toEqual({ id: first.begunAs, rounds: 1, said: 'Yes' });
	const second = await endOf({ inputs: {}, restoreFromStateId: first.id });
	expect(second.told).toEqual({ id: second.begunAs, rounds: 2, said: 'Yes' });
	const third = await endOf({ inputs: {}, restoreFromStateId: crypto.randomUUID() });
	expect(third.told).toMatchObject({ rounds: 1 });
	await receiver.close();
});

it('is refused by a flow that keeps no state, even one with an `id` that is not a text', async () => {
	await deploy('Forgetful');
	const first = await run({ inputs: { said: 'Hello' } });
	expect(first.told).toEqual({ id: 7, said: 'Hello' });
	expect(await client.post('/kickoff', { restoreFromStateId: first.id })).toMatchObject({
		status: 400,
		body: { details: { invalid_fields: [{ field: 'restoreFromStateId' }] } },
	});
});
