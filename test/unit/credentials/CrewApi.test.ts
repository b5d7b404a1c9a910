import type { IHttpRequestOptions } from 'n8n-workflow';
import { CrewApi } from '../../../credentials/CrewApi.credentials';

const CREDENTIAL = {
	baseUrl: 'https://gateway.example.com/crews/42/',
	accessToken: ' organisation-token ',
	callbackSecret: 'never sent',
};

const authenticate = async (request: Partial<IHttpRequestOptions> & { uri?: string }) =>
	await new CrewApi().authenticate(CREDENTIAL, { url: '', ...request });

describe('the credential', () => {
	it.each([
		['https://gateway.example.com/crews/42'],
		['https://gateway.example.com/crews/42/'],
		['https://gateway.example.com/crews/42/inputs'],
		['https://gateway.example.com:443/crews/42/inputs?a=b'],
		['HTTPS://GATEWAY.example.com/crews/42/x/../inputs'],
	])('adds the token to %s', async (url) => {
		const { headers } = await authenticate({ url });
		expect(headers).toEqual({ Authorization: 'Bearer organisation-token' });
	});

	it('adds it to the HTTP Request node’s requests', async () => {
		const { headers } = await authenticate({ uri: 'https://gateway.example.com/crews/42/inputs' });
		expect(headers).toEqual({ Authorization: 'Bearer organisation-token' });
	});

	it('adds it to a path below a base', async () => {
		const request = { url: 'inputs', baseURL: 'https://gateway.example.com/crews/42/' };
		expect(await authenticate(request)).toMatchObject({
			...request,
			headers: { Authorization: 'Bearer organisation-token' },
		});
	});

	it('leaves the rest of the request alone, and the given object', async () => {
		const request = {
			url: 'https://gateway.example.com/crews/42',
			headers: { Accept: 'text/plain' },
		};
		expect((await authenticate(request)).headers).toMatchObject({ Accept: 'text/plain' });
		expect(request.headers).toEqual({ Accept: 'text/plain' });
	});

	it.each([
		['another host', 'https://evil.example.com/crews/42/inputs'],
		['another port', 'https://gateway.example.com:8443/crews/42/inputs'],
		['http', 'http://gateway.example.com/crews/42/inputs'],
		['another crew of the same gateway', 'https://gateway.example.com/crews/43/inputs'],
		['a crew whose number begins the same', 'https://gateway.example.com/crews/421/inputs'],
		['a path with ..', 'https://gateway.example.com/crews/42/../43/inputs'],
		['a path with encoded dots', 'https://gateway.example.com/crews/42/%2e%2e/43/inputs'],
		['a host after a user name', 'https://gateway.example.com@evil.example.com/crews/42'],
		['a host that begins the same', 'https://gateway.example.com.evil.example/crews/42'],
		['.. before an encoded slash', 'https://gateway.example.com/crews/42/..%2f43/inputs'],
		[
			'encoded dots between encoded slashes',
			'https://gateway.example.com/crews/42/x%2F%2e%2e%2F43',
		],
		['.. between backslashes', 'https://gateway.example.com/crews/42/x%5C..%5C43'],
		['no address', ''],
		['no URL', 'inputs'],
	])('never sends the token to %s', async (_what, url) => {
		await expect(authenticate({ url })).rejects.toThrow(
			/^The access token is for https:\/\/gateway\.example\.com\/crews\/42 and is not sent to /,
		);
	});

	it.each([
		// `URL` would read each as an address of the crew, but n8n sends it to the other server.
		['https:/gateway.example.com/crews/42', 'http://evil.example.com'],
		['https:gateway.example.com/crews/42', 'http://evil.example.com/x/'],
		['//gateway.example.com/crews/42', 'https://evil.example.com'],
		['/crews/42/inputs', 'https://gateway.example.com.evil.example'],
		['@evil.example.com/crews/42', 'https://gateway.example.com'],
	])('never sends the token to %j below %j', async (url, baseURL) => {
		await expect(authenticate({ url, baseURL })).rejects.toThrow(/ and is not sent to /);
	});

	it('forbids redirects, whatever the node wants', async () => {
		const request = {
			url: 'https://gateway.example.com/crews/42',
			followRedirect: true,
			followAllRedirects: true,
		};
		expect(await authenticate(request)).toMatchObject({
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
		});
	});

	it('does not put the token or the secret into the message', async () => {
		const reason = await authenticate({ url: 'https://evil.example.com' }).catch(String);
		expect(reason).not.toMatch(/organisation-token|never sent/);
	});

	it.each([
		[{ ...CREDENTIAL, baseUrl: '' }, /^The base URL is empty/],
		[{ ...CREDENTIAL, accessToken: '' }, /^The access token is empty/],
		[{}, /^The base URL is empty/],
	])('refuses an unusable credential: %j', async (credential, reason) => {
		const request = { url: 'https://gateway.example.com/crews/42/inputs' };
		await expect(new CrewApi().authenticate(credential, request)).rejects.toThrow(reason);
	});

	it('hides secrets', () => {
		const hidden = new CrewApi().properties.filter(({ typeOptions }) => typeOptions?.password);
		expect(hidden.map(({ name }) => name)).toEqual(['accessToken', 'callbackSecret']);
	});
});
