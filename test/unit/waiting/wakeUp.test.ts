import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { recall } from '../../../nodes/Crew/waiting/waitMemory';
import { wakeUpOnce } from '../../../nodes/Crew/waiting/wakeUp';

const RESUME_URL = 'http://n8n.test/webhook-waiting/1/crew?signature=abc';

/** n8n, which answers the call of its own resume URL with this status code. */
function n8nThatAnswers(statusCode: number, body: unknown = {}, headers: object = {}) {
	const calls: IHttpRequestOptions[] = [];
	const warnings: string[] = [];
	const context = {
		helpers: {
			httpRequest: async (request: IHttpRequestOptions) => {
				calls.push(request);
				return await Promise.resolve({ statusCode, body, headers });
			},
		},
		logger: { warn: (message: string) => warnings.push(message) },
	} as unknown as IExecuteFunctions;
	return { context, calls, warnings };
}

async function wakeUp(context: IExecuteFunctions, waitId: string): Promise<void> {
	const done = wakeUpOnce(context, { resumeUrl: RESUME_URL, waitId });
	await jest.advanceTimersByTimeAsync(60_000);
	await done;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('calls once where n8n takes the call', async () => {
	const { context, calls, warnings } = n8nThatAnswers(200);
	await wakeUp(context, 'taken');
	expect(calls.map(({ url }) => url)).toEqual([`${RESUME_URL}&callback=look&wait=taken`]);
	expect(warnings).toEqual([]);
});

it('posts nothing to a form that waits further on, to which n8n redirects', async () => {
	const headers = { location: 'http://n8n.test/form-waiting/1' };
	const { context, calls, warnings } = n8nThatAnswers(307, {}, headers);
	await wakeUp(context, 'form');
	expect(calls).toHaveLength(1);
	expect(calls[0]).toMatchObject({ disableFollowRedirect: true });
	expect(warnings).toEqual([]);
});

it('leaves it at that where another node waits further on', async () => {
	const { context, calls, warnings } = n8nThatAnswers(404, {
		code: 404,
		message:
			'The workflow for execution "1" does not contain a waiting webhook with a matching path/method.',
	});
	await wakeUp(context, 'further');
	expect(calls).toHaveLength(1);
	expect(warnings).toEqual([]);
});

it('says where n8n’s address leads to another server', async () => {
	const { context, calls, warnings } = n8nThatAnswers(404, '<h1>Not found</h1>');
	await wakeUp(context, 'elsewhere');
	expect(calls).toHaveLength(5);
	expect(warnings).toHaveLength(1);
});

it('says where a proxy in front of n8n redirects to https', async () => {
	const location = RESUME_URL.replace('http:', 'https:');
	const { context, calls, warnings } = n8nThatAnswers(301, '', { location });
	await wakeUp(context, 'proxy');
	expect(calls).toHaveLength(5);
	expect(warnings).toHaveLength(1);
});

it('calls nobody once the wait has ended', async () => {
	const { context, calls } = n8nThatAnswers(200);
	recall('ended').endingUntil = Date.now() + 30_000;
	await wakeUp(context, 'ended');
	expect(calls).toEqual([]);
});

it('tries again while n8n cannot look, and says so in the end', async () => {
	const { context, calls, warnings } = n8nThatAnswers(503);
	await wakeUp(context, 'broken');
	expect(calls).toHaveLength(5);
	expect(warnings).toHaveLength(1);
});
