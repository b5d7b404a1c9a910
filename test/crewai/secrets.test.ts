import { deploy, type Deployment } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** Secret values, by what they are. None is anyone's. */
const IN_VARIABLES = {
	DB_PASS: 'plane-and-chisel-42',
	DB_PWD: 'Hobel+Stemmeisen',
	AWS_CREDENTIALS: '{"id": "kept-safe-0815", "more": ["and-safe-4711"]}',
	BASIC_AUTH: 'me:7a!words',
	PASSPHRASE: 'four words that nobody guesses',
	MAIL_URL: 'smtp://clerk-77:letters9@mail.example',
};
const FORMS = [
	`sk-proj-${'aB3'.repeat(16)}`,
	`sk-ant-api03-${'aB3_'.repeat(24)}AA`,
	`AIza${'Sy9-_'.repeat(7)}`,
	`AKIA${'Q7'.repeat(8)}`,
	`ghp_${'k9'.repeat(18)}`,
	`github_pat_${'k9_'.repeat(20)}`,
	`password=${'W9'.repeat(5)}`,
	'https://clerk:letter-opener@db.example/',
];
/** Texts with the name or the beginning of a secret that are not secrets. */
const WORDS = [
	'ollama',
	'production',
	'https://sso.example/login',
	'sk-learn-tutorial-for-beginners',
];

const HEADER = 'team-header-123';
const SAID = [...Object.values(IN_VARIABLES), ...FORMS, HEADER, ...WORDS];
/** The parts that are secret. */
const SECRET = [
	...SAID.slice(0, 2),
	'kept-safe-0815',
	'and-safe-4711',
	...SAID.slice(3, 5),
	'clerk-77',
	'letters9',
	...FORMS.map((one) => one.replace(/^password=|^https:\/\/|@.*/g, '')),
	HEADER,
];

let model: ScriptedModel;
beforeAll(async () => {
	model = await startScriptedModel(({ messages }) =>
		messages.some(({ role }) => role === 'tool')
			? `The answer: ${[...SAID, model.env.OPENAI_API_KEY].join(' | ')}`
			: { tool: 'open_vault', arguments: {} },
	);
});
afterAll(() => model.close());

let deployment: Deployment;
afterEach(() => deployment.close());

const deployVault = async (env: Record<string, string> = {}) =>
	await deploy(
		'vault',
		model,
		{},
		{
			...IN_VARIABLES,
			AWS_CREDENTIALS: `'${IN_VARIABLES.AWS_CREDENTIALS}'`,
			OPENAI_API_KEY: 'ollama',
			SECRET_NAME: 'production',
			KEYCLOAK_URL: 'https://sso.example/login',
			VAULT: `'${SAID.join('|')}'`,
			VAULT_KEY: model.env.OPENAI_API_KEY,
			VAULT_HEADER: HEADER,
			...env,
		},
	);

function expectNoSecret(text: string): void {
	const found = [...SECRET, model.env.OPENAI_API_KEY].filter((one) => text.includes(one));
	expect(found).toEqual([]);
	for (const word of WORDS) expect(text).toContain(word);
}

it('hides secrets in events, steps and the log, but changes neither results nor meta', async () => {
	deployment = await deployVault();
	const { client, crew } = deployment;
	const kickoffId = await client.kickoff({
		inputs: { how: 'well' },
		meta: { note: SAID.join(' | ') },
		// Nobody listens there: what would be sent is enough.
		stepWebhookUrl: 'http://127.0.0.1:9/step',
		crewWebhookUrl: 'http://127.0.0.1:9/crew',
		webhooks: { url: 'http://127.0.0.1:9/events', events: ['tool_usage_error'] },
	});
	const ended = await deployment.ended(kickoffId);
	const answer = `The answer: ${[...SAID, model.env.OPENAI_API_KEY].join(' | ')}`;
	expect(ended).toMatchObject({ status: 'completed', result: { output: answer } });
	const callbacks = (await crew.callbacks()).map(({ url, body }) => {
		const { meta, ...rest } = body as { meta?: unknown };
		return { url, meta, rest };
	});
	for (const { meta } of callbacks) expect(meta).toEqual({ note: SAID.join(' | ') });
	const of = (part: string) =>
		JSON.stringify(callbacks.filter(({ url }) => url.endsWith(part)).map(({ rest }) => rest));
	expect(of('/crew')).toContain(JSON.stringify(answer).slice(1, -1));
	expectNoSecret(of('/step'));
	expectNoSecret(of('/events'));
	const headers = { authorization: `Bearer ${crew.accessToken}` };
	const log = await (await fetch(`${crew.url}/page/log?id=${kickoffId}`, { headers })).text();
	expect(log).toContain('printed [secret] and more');
	expectNoSecret(log);
});

it('hides secrets in what failed', async () => {
	deployment = await deployVault({ VAULT_FAILS: 'yes' });
	const ended = await deployment.run({ how: 'well' });
	expect(ended).toMatchObject({ status: 'error' });
	expect(ended['error']).toContain('the callback says');
	expectNoSecret(String(ended['error']));
});
