import { setTimeout as sleep } from 'node:timers/promises';

export type Body = Record<string, unknown>;

/** Milliseconds within which everything has to succeed, whatever happens to the server. */
const PATIENCE = 180_000;

export const TOKEN = 'token-of-the-soak';

/** A client of a server that may be away at any moment: it repeats its requests. */
export class PatientClient {
	constructor(private readonly url: string) {}

	/** Sends a request once. @returns the status, 0 without an answer, and the text */
	async ask(
		method: string,
		path: string,
		body?: string,
		headers: Record<string, string> = {},
	): Promise<{ status: number; text: string }> {
		try {
			const answer = await fetch(this.url + path, {
				method,
				headers: {
					authorization: `Bearer ${TOKEN}`,
					...(body === undefined ? {} : { 'content-type': 'application/json' }),
					...headers,
				},
				body,
			});
			return { status: answer.status, text: await answer.text() };
		} catch {
			return { status: 0, text: '' };
		}
	}

	/** Reads a stream for a while, little by little, and leaves. @returns the status, 0 without an answer */
	async readSlowly(path: string, lastEventId: string): Promise<number> {
		const leaving = new AbortController();
		try {
			const answer = await fetch(this.url + path, {
				headers: { authorization: `Bearer ${TOKEN}`, 'last-event-id': lastEventId },
				signal: leaving.signal,
			});
			const reader = answer.body?.getReader();
			for (let index = 0; index < 5 && !(await reader?.read())?.done; index++) await sleep(200);
			return answer.status;
		} catch {
			return 0;
		} finally {
			leaving.abort();
		}
	}

	/** Repeats a request until it succeeds. @param orStatus also counts as success */
	async untilDone(
		method: string,
		path: string,
		body?: Body,
		headers: Record<string, string> = {},
		orStatus = 200,
	): Promise<string> {
		const end = Date.now() + PATIENCE;
		for (;;) {
			const { status, text } = await this.ask(method, path, body && JSON.stringify(body), headers);
			if (status === 200 || status === orStatus) return text;
			if (status !== 0 && status < 500) throw new Error(`${path} gives ${status}: ${text}`);
			if (Date.now() > end) throw new Error(`${path} is not answered, but ${status}: ${text}`);
			await sleep(200);
		}
	}

	/** Waits for one of these states. */
	async untilStatus(id: string, ...wanted: string[]): Promise<Body> {
		const end = Date.now() + PATIENCE;
		for (;;) {
			const body = JSON.parse(await this.untilDone('GET', `/${id}/status`)) as Body;
			if (wanted.includes(String(body['status']))) return body;
			if (Date.now() > end)
				throw new Error(`${id} is not ${wanted.join()}: ${JSON.stringify(body)}`);
			await sleep(100);
		}
	}
}
