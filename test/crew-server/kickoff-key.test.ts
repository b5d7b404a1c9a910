import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';

let crew: CrewServer;
let client: Client;
beforeAll(async () => {
	crew = await startCrewServer();
	client = new Client(crew);
});
afterAll(() => crew.close());

const kickoff = (key: string, topic = 'Tea', by = client) =>
	by.post('/kickoff', { inputs: { topic } }, { 'idempotency-key': key });

it('starts one execution with one key and body, and answers the same each time', async () => {
	const before = crew.started();
	const answers = await Promise.all([kickoff('a'), kickoff('a'), kickoff('a')]);
	const ids = answers.map(({ status, body }) => [status, body['kickoff_id']]);
	expect(new Set(ids.map(String)).size).toBe(1);
	expect(ids[0]).toEqual([200, expect.any(String)]);
	expect(crew.started()).toBe(before + 1);
	expect((await kickoff('b')).body).not.toEqual(answers[0].body);
});

it('refuses the key of another body', async () => {
	await kickoff('c');
	const { status, body } = await kickoff('c', 'Coffee');
	expect(status).toBe(422);
	expect(JSON.stringify(body)).toContain(
		'The Idempotency-Key belongs to a kickoff with another body',
	);
});

it('keeps the keys of each token separate', async () => {
	const user = new Client(crew, crew.userAccessToken);
	const [one, other] = [await kickoff('d'), await kickoff('d', 'Tea', user)];
	expect(one.body['kickoff_id']).not.toBe(other.body['kickoff_id']);
});

it('says how long it keeps them, with the inputs and with each answer to a kickoff', async () => {
	const answers = [
		await client.get('/inputs'),
		await client.post('/kickoff', { inputs: {} }),
		await kickoff('e'),
	];
	expect(answers.map(({ status }) => status)).toEqual([200, 422, 200]);
	for (const { headers } of answers) expect(headers.get('idempotency-key-kept')).toBe('86400');
});

it('starts no execution with a key that is empty or too long', async () => {
	for (const key of ['', 'x'.repeat(256)]) expect((await kickoff(key)).status).toBe(400);
	expect((await kickoff('x'.repeat(255))).status).toBe(200);
});

it.each(['documented', 'queue', 'platform'] as const)(
	'keeps none in the dialect %s, and does not say so',
	async (dialect) => {
		const other = await startCrewServer({ dialect });
		const by = new Client(other);
		const answers = [
			await by.get('/inputs'),
			await kickoff('a', 'Tea', by),
			await kickoff('a', 'Tea', by),
		];
		await other.close();
		for (const { headers } of answers) expect(headers.get('idempotency-key-kept')).toBeNull();
		expect(other.started()).toBe(2);
	},
);
