import { Readable } from 'node:stream';
import { tokenFor } from '../../../nodes/Crew/callbacks/token';
import { KnownSecrets } from '../../../sandbox/src/leaks/known-secrets';
import { refuseSecrets, searchStream } from '../../../sandbox/src/leaks/search';

const TOKEN = 'a "rare" token/ü+=?';
const SECRET = 'a secret for callbacks';
const TRIGGER = '0d4b7c1e-2f65-4e0b-9a43-5c8e1f2d3b4a';

function secrets(): KnownSecrets {
	const known = new KnownSecrets();
	const data = { baseUrl: 'https://crew.example.com', accessToken: `Bearer ${TOKEN}` };
	known.note({ name: 'Crew', type: 'crewApi', data: { ...data, callbackSecret: SECRET } });
	known.note({ nodes: [{ type: 'n8n-nodes-crew.crewTrigger', webhookId: TRIGGER }] });
	return known;
}

const search = async (chunks: string[], known = secrets()) =>
	await searchStream(Readable.from(chunks.map((text) => Buffer.from(text))), 'here', known);

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the search for secrets', () => {
	it.each([
		['as it is', `before ${TOKEN} behind`],
		['in JSON', JSON.stringify({ json: { token: TOKEN } })],
		['in JSON that is text in JSON', JSON.stringify({ data: JSON.stringify([TOKEN]) })],
		['in a query', `https://n8n.example.com/?${new URLSearchParams({ token: TOKEN }).toString()}`],
		['in a path', `https://n8n.example.com/${encodeURIComponent(TOKEN)}`],
		['as a binary column', `\\x${Buffer.from(`:${TOKEN}:`).toString('hex')}`],
		...['', 'u', 'us', 'use'].flatMap((user): Array<[string, string]> => [
			[`in base64 after ${user.length} bytes`, base64(`${user}${TOKEN}`)],
			[`in base64 between ${user.length} bytes and others`, base64(`${user}${TOKEN}:and more`)],
			[
				`in base64url after ${user.length} bytes`,
				Buffer.from(`${user}${TOKEN}`).toString('base64url'),
			],
		]),
	])('finds one %s', async (_what, text) => {
		expect((await search([text])).found).toEqual(['access token in here']);
	});

	it('finds one that comes in pieces', async () => {
		const { found, bytes } = await search(`x${SECRET}x`.split(''));
		expect(found).toEqual(['callback secret in here']);
		expect(bytes).toBe(SECRET.length + 2);
	});

	it('finds each derived token of a trigger', async () => {
		for (const kind of ['crew', 'human_input', 'step', 'stream', 'task'] as const) {
			const token = tokenFor(SECRET, kind, `https://any.example.com/webhook/${TRIGGER}/webhook`);
			expect((await search([`?token=${token}`])).found).toEqual([
				`token for ${kind} callbacks in here`,
			]);
		}
	});

	it('finds nothing in a text without secrets', async () => {
		const text = `a rare token, ${base64('a "rare" word')}, ${TRIGGER}, secret`;
		expect((await search([text])).found).toEqual([]);
	});

	it('knows the credential of a credential test, and does not consider a short word a secret', async () => {
		const known = new KnownSecrets();
		known.note({ credentials: { type: 'crewApi', data: { accessToken: TOKEN } } });
		known.note({ type: 'crewApi', data: { accessToken: 'wrong' } });
		expect((await search([`wrong ${TOKEN}`], known)).found).toHaveLength(1);
	});

	it('ends in an error that does not repeat the secret', async () => {
		const findings = await search([TOKEN, SECRET]);
		expect(() => {
			refuseSecrets(findings);
		}).toThrow('n8n has written down secrets: access token in here, callback secret in here');
		refuseSecrets(await search(['nothing']));
	});
});
