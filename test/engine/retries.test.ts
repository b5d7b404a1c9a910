import nock from 'nock';
import { newBaseUrl } from '../support/crewMock';
import { KICKOFF_ID, OPERATIONS, type OperationName } from '../support/crewOperations';
import { runCrew } from '../support/engine';
import { inFastTime } from '../support/fastTime';

type Answer = [status: number, headers?: Record<string, string>] | 'ECONNRESET' | 'ECONNREFUSED';

/** How late the clock in `inFastTime` may be. */
const LATE = 1_000;

const PATHS: Record<'getInputs' | 'kickoff' | 'resume', ['GET' | 'POST', string]> = {
	getInputs: ['GET', '/inputs'],
	kickoff: ['POST', '/kickoff'],
	resume: ['POST', '/resume'],
};

/** Runs an operation at a crew that gives these answers, and then a success. */
async function runAfter(operation: keyof typeof PATHS, answers: Answer[]) {
	const baseUrl = newBaseUrl();
	const askedAt: number[] = [];
	const [method, path] = PATHS[operation];
	for (const answer of answers) {
		const request = nock(baseUrl).intercept(path, method, () => Boolean(askedAt.push(Date.now())));
		if (typeof answer === 'string')
			request.replyWithError(Object.assign(new Error('socket hang up'), { code: answer }));
		else request.reply(answer[0], '', answer[1]);
	}
	nock(baseUrl)
		.intercept(path, method, () => Boolean(askedAt.push(Date.now())))
		.reply(200, { inputs: [], kickoff_id: KICKOFF_ID, status: 'resumed' });
	const { json, error } = await inFastTime(
		async () => await runCrew({ parameters: OPERATIONS[operation] }, { credential: { baseUrl } }),
	);
	const pauses = askedAt.slice(1).map((time, index) => time - askedAt[index]!);
	return { json, error, tries: askedAt.length, pauses };
}

describe('a read', () => {
	it.each<[string, Answer[]]>([
		['dropped connections', ['ECONNRESET', 'ECONNRESET']],
		['500 and 503', [[500], [503]]],
		['429', [[429], [429]]],
		['408', [[408]]],
	])('succeeds after %s', async (_what, answers) => {
		const { error, tries } = await runAfter('getInputs', answers);
		expect(error).toBeUndefined();
		expect(tries).toBe(answers.length + 1);
	});

	it('is tried three times, with a longer pause each time', async () => {
		const { error, tries, pauses } = await runAfter('getInputs', [[503], [503], [503], [503]]);
		expect(error?.message).toBe('The crew’s server could not answer (HTTP 503)');
		expect(tries).toBe(3);
		expect(pauses[0]).toBeGreaterThanOrEqual(250);
		expect(pauses[0]).toBeLessThanOrEqual(750 + LATE);
		expect(pauses[1]).toBeGreaterThanOrEqual(500);
		expect(pauses[1]).toBeLessThanOrEqual(1_500 + LATE);
	});

	it.each([400, 401, 403, 404, 422])('is not tried again after %i', async (status) => {
		const { error, tries } = await runAfter('getInputs', [[status]]);
		expect(error?.httpCode).toBe(String(status));
		expect(tries).toBe(1);
	});

	it.each(['0', '7', '60'])('waits as long as the server asks for: %s s', async (seconds) => {
		const { error, pauses } = await runAfter('getInputs', [[429, { 'Retry-After': seconds }]]);
		expect(error).toBeUndefined();
		expect(pauses[0]).toBeGreaterThanOrEqual(Number(seconds) * 1000);
		expect(pauses[0]).toBeLessThanOrEqual(Number(seconds) * 1000 + LATE);
	});

	it('waits until the date that the server names', async () => {
		const date = new Date(Date.now() + 20_000).toUTCString();
		const { error, pauses } = await runAfter('getInputs', [[503, { 'Retry-After': date }]]);
		expect(error).toBeUndefined();
		// The header has whole seconds, and n8n took a while to start.
		expect(pauses[0]).toBeGreaterThan(10_000);
		expect(pauses[0]).toBeLessThanOrEqual(20_000 + LATE);
	});

	it('does not wait longer than a minute', async () => {
		const { error, tries } = await runAfter('getInputs', [[429, { 'Retry-After': '61' }]]);
		expect(error?.httpCode).toBe('429');
		expect(tries).toBe(1);
	});
});

describe.each<OperationName & keyof typeof PATHS>(['kickoff', 'resume'])('a %s', (operation) => {
	it.each<[string, Answer[]]>([
		['the server received too many requests', [[429], [429]]],
		['the server asked to wait', [[429, { 'Retry-After': '5' }]]],
		['the server refused the connection', ['ECONNREFUSED', 'ECONNREFUSED']],
	])('is sent again if %s', async (_what, answers) => {
		const { error, tries } = await runAfter(operation, answers);
		expect(error).toBeUndefined();
		expect(tries).toBe(answers.length + 1);
	});

	it.each<[string, Answer]>([
		['the connection was dropped', 'ECONNRESET'],
		['the server answered 408', [408]],
		['the server answered 500', [500]],
		['the server answered 503 and asked to wait', [503, { 'Retry-After': '1' }]],
		['a proxy answered 504', [504]],
		['the answer cannot be read', [200]],
	])('is never sent again if %s, and says so', async (_what, answer) => {
		const { error, tries } = await runAfter(operation, [answer]);
		expect(tries).toBe(1);
		expect(error?.description).toMatch(/The crew may have been (started|resumed) all the same/);
	});
});
