import { readAccessToken } from '../../../nodes/Crew/model/accessToken';

describe('readAccessToken', () => {
	it.each([
		['a token', 'abc-123._~+/=', 'abc-123._~+/='],
		['spaces around it', ' abc \n', 'abc'],
		['the word Bearer before it', 'Bearer abc', 'abc'],
		['the word in lower case with more spaces', 'bearer   abc', 'abc'],
		['a token that begins with the word', 'bearerabc', 'bearerabc'],
	])('accepts %s', (_what, text, token) => {
		expect(readAccessToken(text)).toBe(token);
	});

	it.each([
		['nothing', '', /is empty/],
		['blanks', '  ', /is empty/],
		['no text', undefined, /is empty/],
		['a line break inside', 'abc\r\nX-Injected: 1', /contains a character that no token has/],
		['a space inside', 'abc def', /contains a character that no token has/],
		['the dots of a hidden field', '••••••', /contains a character that no token has/],
	])('refuses %s with the reason', (_what, text, reason) => {
		expect(() => readAccessToken(text)).toThrow(reason);
	});
});
