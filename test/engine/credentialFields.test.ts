import nock from 'nock';
import { OPERATION_NAMES, OPERATIONS } from '../support/crewOperations';
import { runCrew } from '../support/engine';

describe('the base URL of the credential', () => {
	it.each([
		['https://a1.example.com', 'https://a1.example.com', '/inputs'],
		['https://a2.example.com/', 'https://a2.example.com', '/inputs'],
		['  https://a3.example.com//  ', 'https://a3.example.com', '/inputs'],
		['http://a4.example.com:8000', 'http://a4.example.com:8000', '/inputs'],
		['https://gateway.example.com/crews/42', 'https://gateway.example.com', '/crews/42/inputs'],
		['https://gateway.example.com/crews/43/', 'https://gateway.example.com', '/crews/43/inputs'],
	])('may be %j', async (baseUrl, origin, path) => {
		nock(origin)
			.get(path)
			.reply(200, { inputs: ['topic'] });
		const { json, error } = await runCrew(
			{ parameters: OPERATIONS.getInputs },
			{ credential: { baseUrl } },
		);
		expect(error).toBeUndefined();
		expect(json).toEqual([{ name: 'topic' }]);
	});

	it.each([
		['ftp://a.example.com', /^The base URL must start with https:\/\//],
		['https://user:secret@a.example.com', /^The base URL contains a user name/],
		['https://a.example.com?x=1', /^The base URL contains a query/],
		['', /^The base URL is empty/],
	])('is refused before anything is sent where it is %j', async (baseUrl, message) => {
		for (const operation of OPERATION_NAMES) {
			const { error } = await runCrew(
				{ parameters: OPERATIONS[operation] },
				{ credential: { baseUrl } },
			);
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(/Open the Crew API credential/);
		}
	});
});

describe('the access token of the credential', () => {
	it.each([
		['organisation-token', 'Bearer organisation-token'],
		[' user-token\n', 'Bearer user-token'],
		['Bearer pasted-token', 'Bearer pasted-token'],
	])('is sent as a bearer: %j', async (accessToken, authorization) => {
		nock('https://a5.example.com', { reqheaders: { authorization } })
			.get('/inputs')
			.reply(200, { inputs: [] });
		const { error } = await runCrew(
			{ parameters: OPERATIONS.getInputs },
			{ credential: { baseUrl: 'https://a5.example.com', accessToken } },
		);
		expect(error).toBeUndefined();
	});

	it.each([
		['', /^The access token is empty/],
		['two words', /^The access token contains a character that no token has/],
		['abc\r\nX-Injected: 1', /^The access token contains a character that no token has/],
	])('is refused before anything is sent where it is %j', async (accessToken, message) => {
		const { error } = await runCrew(
			{ parameters: OPERATIONS.kickoff },
			{ credential: { baseUrl: 'https://a6.example.com', accessToken } },
		);
		expect(error?.message).toMatch(message);
	});
});
