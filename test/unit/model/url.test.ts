import { asciiUrl, callbackUrlProblem, readBaseUrl } from '../../../nodes/Crew/model/url';

describe('readBaseUrl', () => {
	it.each([
		['a plain address', 'https://my-crew.example.com', 'https://my-crew.example.com'],
		['http', 'http://localhost:8000', 'http://localhost:8000'],
		['a slash at its end', 'https://my-crew.example.com/', 'https://my-crew.example.com'],
		['many slashes at its end', 'https://a.example/crews/42///', 'https://a.example/crews/42'],
		['spaces around it', '  https://a.example \n', 'https://a.example'],
		[
			'a path prefix',
			'https://gateway.example.com/crews/42',
			'https://gateway.example.com/crews/42',
		],
		[
			'capitals in the scheme and host',
			'HTTPS://My-Crew.Example.COM/Crews',
			'https://my-crew.example.com/Crews',
		],
		['a port', 'https://a.example:8443/x', 'https://a.example:8443/x'],
		['the usual port', 'https://a.example:443', 'https://a.example'],
		['an IPv6 address', 'http://[::1]:8000/', 'http://[::1]:8000'],
		['an encoded path', 'https://a.example/my%20crew/%2F', 'https://a.example/my%20crew/%2F'],
		['an "@" in the path', 'https://a.example/@team', 'https://a.example/@team'],
		[
			'a look-alike name, shown as what it is',
			'https://my-crеw.example.com',
			'https://xn--my-crw-7of.example.com',
		],
	])('accepts %s', (_what, text, url) => {
		expect(readBaseUrl(text)).toBe(url);
	});

	it.each([
		['nothing', '', /is empty/],
		['blanks', '  ', /is empty/],
		['no text', undefined, /is empty/],
		['a number', 42, /is empty/],
		['no scheme', 'my-crew.example.com', /must start with https:\/\//],
		['another scheme', 'ftp://my-crew.example.com', /must start with https:\/\//],
		['a script', 'javascript:alert(1)', /must start with https:\/\//],
		['a scheme without slashes', 'https:my-crew.example.com', /must start with https:\/\//],
		['no host', 'https://', /is not a web address/],
		['a slash instead of a host', 'https:///a.example', /is not a web address/],
		['an impossible port', 'https://a.example:99999', /is not a web address/],
		['a user and a password', 'https://user:secret@a.example', /contains a user name/],
		['a user', 'https://user@a.example', /contains a user name/],
		['an empty user', 'https://@a.example', /contains a user name/],
		['a query', 'https://a.example/?a=b', /contains a query or a fragment/],
		['an empty query', 'https://a.example?', /contains a query or a fragment/],
		['a query with an "@"', 'https://a.example?to=a@b', /contains a query or a fragment/],
		['a fragment', 'https://a.example/#inputs', /contains a query or a fragment/],
		['a space inside', 'https://a.example/my crew', /contains a space/],
		['a line break inside', 'https://a.exa\nmple', /contains a space, a line break/],
		['a backslash', 'https://a.example\\@evil.example', /backslash/],
		['a null character', 'https://a.example/\0', /contains a space, a line break/],
	])('refuses %s with the reason', (_what, text, reason) => {
		expect(() => readBaseUrl(text)).toThrow(reason);
	});

	it('never repeats a password in its message', () => {
		expect(() => readBaseUrl('https://user:secret@a.example')).toThrow(/^(?!.*secret)/s);
	});
});

describe('callbackUrlProblem', () => {
	it.each(['https://n8n.example.com/webhook/1?callback=crew', 'http://localhost:5678/webhook/a#b'])(
		'finds none in %s',
		(url) => {
			expect(callbackUrlProblem(url)).toBeUndefined();
		},
	);

	it.each([
		['/webhook/1', /whole address/],
		['//n8n.example.com/webhook', /whole address/],
		['n8n.example.com', /whole address/],
		['file:///etc/passwd', /whole address/],
		['https://', /whole address/],
		['https://n8n.example.com/a b', /whole address/],
		['https://n8n.example.com/\r\nX-Injected: 1', /whole address/],
		['https://user:secret@n8n.example.com/', /user name or a password/],
		['https:///n8n.example.com/', /whole address/],
		['https://@n8n.example.com/', /user name or a password/],
		['https://:secret@n8n.example.com/', /user name or a password/],
	])('refuses %j', (url, problem) => {
		expect(callbackUrlProblem(url)).toMatch(problem);
	});
});

describe('asciiUrl', () => {
	it.each([
		['https://n8n.example.com', 'https://n8n.example.com'],
		['https://n8n.example.com/Webhook/%7Eme?a={b}', 'https://n8n.example.com/Webhook/%7Eme?a={b}'],
		['https://n8n.exаmple.com/ü', 'https://n8n.xn--exmple-4nf.com/%C3%BC'],
	])('sends %s as %s', (typed, sent) => {
		expect(asciiUrl(typed)).toBe(sent);
	});
});
