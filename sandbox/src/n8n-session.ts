import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KnownSecrets } from './leaks/known-secrets';

/** The owner of a sandbox's n8n. */
export interface Login {
	email: string;
	password: string;
}

/** An answer other than 2xx, with n8n's message. */
class N8nRequestError extends Error {
	constructor(
		message: string,
		readonly status: number,
		readonly body: unknown,
	) {
		super(message);
	}
}

/** The login of this n8n home: made up once, then read, so that a second start can sign in. */
export async function loginFor(home: string): Promise<Login> {
	const file = join(home, 'login.json');
	try {
		return JSON.parse(await readFile(file, 'utf8')) as Login;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
	}
	// n8n requires at least 8 characters, with a digit and a capital letter.
	const password = `Crew-${randomBytes(6).toString('hex')}-1`;
	const login = { email: 'owner@example.com', password };
	await writeFile(file, JSON.stringify(login), { mode: 0o600 });
	return login;
}

/** Requests to n8n's own REST interface (the one of its editor), signed in as the owner. */
export class N8nSession {
	/**
	 * A session of someone who has already signed in. n8n lets a person sign in five times a minute.
	 *
	 * @param cookie as `name=value`
	 * @param secrets notes the secrets in requests and answers
	 */
	constructor(
		readonly url: string,
		readonly cookie: string,
		private readonly secrets: KnownSecrets = new KnownSecrets(),
	) {}

	/**
	 * Makes the owner in a new n8n, or signs in if there is one.
	 *
	 * @param secrets notes the secrets in requests and answers
	 */
	static async signIn(url: string, login: Login, secrets: KnownSecrets): Promise<N8nSession> {
		const settings = (await readAnswer(await fetch(`${url}/rest/settings`))) as {
			userManagement: { showSetupOnFirstLoad: boolean };
		};
		const answer = settings.userManagement.showSetupOnFirstLoad
			? await postJson(`${url}/rest/owner/setup`, {
					...login,
					firstName: 'Sandbox',
					lastName: 'Owner',
				})
			: await postJson(`${url}/rest/login`, {
					emailOrLdapLoginId: login.email,
					password: login.password,
				});
		await readAnswer(answer.clone());
		const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '');
		const cookie = cookies.find((pair) => pair.startsWith('n8n-auth='));
		if (cookie === undefined) throw new Error('n8n signed in but gave no n8n-auth cookie');
		return new N8nSession(url, cookie, secrets);
	}

	/** Sends a request below `/rest` and returns what n8n wraps in `data`. Rejects with {@link N8nRequestError}. */
	async request(method: string, path: string, body?: unknown): Promise<unknown> {
		this.secrets.note(body);
		const answer = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				cookie: this.cookie,
				'content-type': 'application/json',
				// n8n may be about to close an idle connection.
				connection: 'close',
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const content = await readAnswer(answer);
		this.secrets.note(content);
		return content;
	}
}

async function postJson(url: string, body: unknown): Promise<Response> {
	return fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
}

async function readAnswer(answer: Response): Promise<unknown> {
	const text = await answer.text();
	const body = parseJson(text);
	if (!answer.ok) {
		const said = field(body, 'message');
		const message = typeof said === 'string' ? said : text;
		const { pathname } = new URL(answer.url);
		throw new N8nRequestError(
			`n8n answered ${answer.status} to ${pathname}: ${message}`,
			answer.status,
			body,
		);
	}
	return field(body, 'data') ?? body;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function field(body: unknown, name: string): unknown {
	return typeof body === 'object' && body !== null && name in body
		? (body as Record<string, unknown>)[name]
		: undefined;
}
