import nock from 'nock';
import { newBaseUrl } from '../support/crewMock';
import { CREDENTIAL } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { startServer } from '../support/strangeServer';
import { testCredential } from '../support/testCredential';

async function testAt(status: number, body: nock.Body, headers: Record<string, string> = {}) {
	const baseUrl = newBaseUrl();
	nock(baseUrl, { reqheaders: { authorization: 'Bearer organisation-token' } })
		.persist()
		.get('/inputs')
		.reply(status, body, headers);
	return await inFastTime(async () => await testCredential({ ...CREDENTIAL, baseUrl }));
}

describe('the test of a credential', () => {
	it.each([
		['JSON', { inputs: ['topic'] }],
		['JSON behind a byte order mark', '\uFEFF{"inputs":["topic"]}'],
	])('succeeds if a crew answers with its inputs: %s', async (_what, body) => {
		expect(await testAt(200, body)).toEqual({
			status: 'OK',
			message: 'The crew answers and accepts the access token',
		});
	});

	it.each<[string, number, nock.Body, RegExp]>([
		['a wrong token', 401, {}, /^The crew did not accept the access token\. .*Status tab/s],
		['a token without rights', 403, {}, /^The access token has no permission for this\./],
		['a wrong address', 404, 'Not found', /^No crew answers at this address\. Copy the base URL/],
		[
			'a web page',
			200,
			'<!DOCTYPE html>',
			/^What answers at this address is not a crew: it sent a web page\./,
		],
		['the health word', 200, 'Healthy', /is not a crew: it sent something else\./],
		['an empty answer', 204, '', /is not a crew: it sent nothing\./],
		['JSON of something else', 200, { version: '1.2' }, /is not a crew: it sent something else\./],
		['a sleeping server', 503, '', /^The crew’s server could not answer \(HTTP 503\)\./],
	])('tells apart: %s', async (_what, status, body, message) => {
		const result = await testAt(status, body);
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
		expect(result.message).not.toMatch(/error|problem|failure|mistake/i);
	});

	it('tells apart: an address where nothing listens', async () => {
		const { baseUrl, close } = await startServer(() => undefined);
		await close();
		nock.enableNetConnect('127.0.0.1');
		const result = await inFastTime(async () => await testCredential({ ...CREDENTIAL, baseUrl }));
		expect(result.message).toMatch(
			/^The crew’s server refuses the connection\. Check the base URL/,
		);
	});

	it('does not take the token along a redirect', async () => {
		nock.enableNetConnect('127.0.0.1');
		const thief = await startServer((_request, response) => response.end('{"inputs":[]}'));
		const server = await startServer((_request, response) => {
			response.writeHead(302, { Location: `${thief.baseUrl}/inputs` }).end();
		});
		const result = await testCredential({ ...CREDENTIAL, baseUrl: server.baseUrl });
		await Promise.all([thief.close(), server.close()]);
		expect(result.message).toMatch(/^The address leads elsewhere \(HTTP 302\)/);
		expect(thief.requests).toHaveLength(0);
	});

	it.each([
		[{ ...CREDENTIAL, baseUrl: 'my-crew.example.com' }, /^The base URL must start with/],
		[{ ...CREDENTIAL, accessToken: '' }, /^The access token is empty/],
		[{ baseUrl: 'https://a.example.com' }, /^The access token is empty/],
		[{}, /^The base URL is empty/],
	])('needs no request for a credential that cannot work: %j', async (data, message) => {
		const result = await testCredential(data);
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) as string });
	});
});
