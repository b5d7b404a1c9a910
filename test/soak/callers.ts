import { randomBytes } from 'node:crypto';
import { tokenFor } from '../../nodes/Crew/callbacks/token';
import type { SeededRandom } from '../support/seededRandom';

/** A request to a Crew Trigger. */
export interface Call {
	/** What is wrong with it, in a few words. */
	sort: string;
	url: string;
	method?: string;
	headers?: Record<string, string>;
	body?: string | Buffer;
	/** The status of the only correct answer. */
	expected: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Makes requests of three sorts of callers to one trigger: its crew, impostors, and strangers who send anything. */
export class Callers {
	private readonly token: string;

	/**
	 * @param url the trigger's production URL
	 * @param otherUrl another trigger's with the same secret
	 */
	constructor(
		private readonly url: string,
		private readonly otherUrl: string,
		private readonly secret: string,
		private readonly random: SeededRandom,
	) {
		this.token = tokenFor(secret, 'crew', url);
	}

	/** What must not be in any log. */
	secrets(): string[] {
		return [this.secret, this.token];
	}

	/** The callback of a crew that has completed. */
	right(kickoffId: string): Call {
		return { ...this.callback('right', { token: this.token }, kickoffId), expected: 200 };
	}

	/** A callback that is correct except for its token. */
	wrong(kickoffId: string): Call {
		const { token, secret } = this;
		const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
		const call = (sort: string, query: Record<string, string>, headers?: Record<string, string>) =>
			this.callback(sort, query, kickoffId, headers);
		return this.random.pick([
			call('no token', {}),
			call('an empty token', { token: '' }),
			call('any token', { token: randomBytes(32).toString('base64url') }),
			call('one letter is another', { token: flipped }),
			call('the last letter is missing', { token: token.slice(0, -1) }),
			call('one letter too many', { token: `${token}A` }),
			call('in capital letters', { token: token.toUpperCase() }),
			call('the token for tasks', { token: tokenFor(secret, 'task', this.url) }),
			call('the token of another trigger', { token: tokenFor(secret, 'crew', this.otherUrl) }),
			call('right for another kind', { token, callback: 'task' }),
			call('without a kind', { token, callback: '' }),
			call('the secret itself', { token: secret }),
			call('another bearer', {}, { authorization: 'Bearer wrong-token' }),
			call('basic without a name', {}, { authorization: 'Basic !!!' }),
		]);
	}

	/** A request that no crew sends; most have the right token, so that they are parsed. */
	garbage(): Call {
		const url = this.address({ token: this.token });
		const json = JSON_TYPE['content-type'];
		const call = (sort: string, expected: number, body: string | Buffer, type = json): Call => ({
			...{ sort, expected, url, body },
			headers: { 'content-type': type },
		});
		return this.random.pick<Call>([
			call('a number', 400, '42'),
			call('a text', 400, '"hello"'),
			call('null', 400, 'null'),
			call('nothing', 400, ''),
			call('an empty list', 200, '[]'),
			call('nested without end', 400, `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
			call('a megabyte of one letter', 400, 'x'.repeat(1024 ** 2), 'text/plain'),
			call('bytes', 400, randomBytes(2_000), 'application/octet-stream'),
			call('a form', 400, 'kickoff_id=form&result=1', 'application/x-www-form-urlencoded'),
			call('a page', 400, '<html>hello</html>', 'text/html'),
			call('a broken upload', 400, '--x', 'multipart/form-data'),
			{ ...call('a prototype', 401, '{"__proto__": {"result": "x"}}'), url: this.address({}) },
			// n8n itself answers the rest.
			call('words that claim to be JSON', 422, 'hello'),
			call('half of a JSON object', 422, '{"kickoff_id": "half", "result": "'),
			{ ...call('another method', 404, '{"kickoff_id": "put"}'), method: 'PUT' },
			{ sort: 'a look', expected: 404, url, method: 'GET' },
			{ ...call('a webhook that there is not', 404, '{}'), url: `${this.url}/elsewhere` },
			{
				...call('not compressed at all', 500, '{}'),
				headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
			},
		]);
	}

	/** A complete callback, which must be accepted only with the right query. */
	private callback(
		sort: string,
		query: Record<string, string>,
		kickoffId: string,
		headers: Record<string, string> = {},
	): Call {
		const body = JSON.stringify({
			kickoff_id: kickoffId,
			result: `All about ${kickoffId}`,
			result_json: null,
			token_usage: { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1 },
			meta: { sort },
		});
		const url = this.address(query);
		return { sort, url, headers: { ...JSON_TYPE, ...headers }, body, expected: 401 };
	}

	private address(query: Record<string, string>): string {
		return `${this.url}?${new URLSearchParams({ callback: 'crew', ...query }).toString()}`;
	}
}

/** Milliseconds for which a caller waits for an answer. */
const PATIENCE = 60_000;

/** Sends a request; returns the answer's status, or 0 without an answer. */
export async function send({ url, method = 'POST', headers, body }: Call): Promise<number> {
	try {
		const signal = AbortSignal.timeout(PATIENCE);
		const answer = await fetch(url, { method, headers, body, signal });
		await answer.arrayBuffer();
		return answer.status;
	} catch {
		return 0;
	}
}
