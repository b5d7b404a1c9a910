import type { CrewServer } from '../../../crew-server/src';
import { holdAgainstDocument } from './openapi';
import { until } from './until';

export interface Answer {
	status: number;
	body: Record<string, unknown>;
	headers: Headers;
}

/** A plain client of a crew's API. */
export class Client {
	constructor(
		private readonly crew: Pick<CrewServer, 'url' | 'accessToken'>,
		private readonly token = crew.accessToken,
	) {}

	get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
		return this.send('GET', path, undefined, headers);
	}

	post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
		return this.send('POST', path, body, headers);
	}

	delete(path: string): Promise<Answer> {
		return this.send('DELETE', path, undefined, {});
	}

	async kickoff(body: Record<string, unknown> = {}, headers = {}): Promise<string> {
		const answer = await this.post('/kickoff', { inputs: { topic: 'Tea' }, ...body }, headers);
		if (typeof answer.body['kickoff_id'] !== 'string') throw new Error(JSON.stringify(answer));
		return answer.body['kickoff_id'];
	}

	resume(kickoffId: string, body: Record<string, unknown> = {}): Promise<Answer> {
		return this.post('/resume', {
			execution_id: kickoffId,
			task_id: 'write_draft',
			human_feedback: 'Good',
			is_approve: true,
			...body,
		});
	}

	/** Waits until the documented status is one of these words. */
	async untilStatus(kickoffId: string, ...words: string[]): Promise<Record<string, unknown>> {
		return until(async () => {
			const { body } = await this.get(`/${kickoffId}/status`);
			return words.includes(String(body['status'])) && body;
		});
	}

	private async send(
		method: string,
		path: string,
		body: unknown,
		headers: Record<string, string>,
	): Promise<Answer> {
		const response = await fetch(this.crew.url + path, {
			method,
			headers: {
				authorization: `Bearer ${this.token}`,
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...headers,
			},
			body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
		});
		const text = await response.text();
		const isJson = response.headers.get('content-type')?.includes('json') ?? false;
		const content = (isJson ? JSON.parse(text) : { text }) as Record<string, unknown>;
		if (isJson) await holdAgainstDocument(this.crew.url, method, path, response.status, content);
		return {
			status: response.status,
			body: content,
			headers: response.headers,
		};
	}
}
