import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';

let crew: CrewServer;

beforeAll(async () => {
	crew = await startCrewServer();
});
afterAll(async () => {
	await crew.close();
});

it('accepts the header only on loopback', async () => {
	const open = await startCrewServer({ host: '0.0.0.0' });
	const answer = await new Client(open).get('/inputs', { 'x-crew-fault': '500' });
	await open.close();
	expect(answer.status).toBe(200);
});

it('accepts the header only with a token, and only if it simulates', async () => {
	const headers = { 'x-crew-fault': 'html' };
	for (const path of ['/inputs', '/kickoff', '/nowhere/status']) {
		expect((await fetch(crew.url + path, { headers })).status).not.toBe(200);
	}
	expect((await fetch(`${crew.url}/inputs`, { headers })).status).toBe(401);
	const real = await startCrewServer({ simulate: false });
	const answer = await new Client(real).get('/inputs', headers);
	expect(answer.body).toHaveProperty('inputs');
	expect(real.requests()).toEqual([]);
	await real.close();
});

it('reads the header only after the token was accepted', async () => {
	const stranger = new Client(crew, 'other');
	for (const fault of ['html', '500', 'explode']) {
		const answer = await stranger.get('/inputs', { 'x-crew-fault': fault });
		expect([answer.status, answer.body['error']]).toEqual([401, 'Unauthorized']);
	}
});

it('takes no faults of an answer from a token that does not reach the execution', async () => {
	const reviewed = await startCrewServer({ crew: 'reviewed-article' });
	const owner = new Client(reviewed);
	const id = await owner.kickoff();
	await owner.untilStatus(id, 'pending_human_input');
	const body = { execution_id: id, task_id: 'write_draft', human_feedback: '', is_approve: true };
	const user = new Client(reviewed, reviewed.userAccessToken);
	const refused = await user.post('/resume', body, { 'x-crew-fault': 'task-fails@publish' });
	expect(refused.status).toBe(404);
	await owner.post('/resume', body);
	await owner.untilStatus(id, 'completed');
	await reviewed.close();
});

describe('without the simulator', () => {
	it('has no faults and no list of requests', async () => {
		const plain = await startCrewServer({ simulate: false });
		const answer = await new Client(plain).get('/inputs', { 'x-crew-fault': '500' });
		expect([answer.status, plain.requests()]).toEqual([200, []]);
		expect(() => {
			plain.setFaults(['500']);
		}).toThrow('Faults are for tests of clients: give --simulate as well');
		await plain.close();
	});

	it.each([
		['Faults', { faults: ['500'] }],
		['Dialects', { dialect: 'queue' as const }],
	])('does not start with what needs it: %s', async (what, options) => {
		await expect(startCrewServer({ simulate: false, ...options })).rejects.toThrow(
			`${what} are for tests of clients: give --simulate as well`,
		);
	});
});
