import fc from 'fast-check';
import { CrewApi } from '../../credentials/CrewApi.credentials';
import { CrewApiError, readRetryAfter, tellPause } from '../../nodes/Crew/api/errors';
import { noAnswer } from '../../nodes/Crew/n8n/noAnswer';
import { pathSegment } from '../../nodes/Crew/api/dialects';
import { readAccessToken } from '../../nodes/Crew/model/accessToken';
import { asciiUrl, callbackUrlProblem, readBaseUrl } from '../../nodes/Crew/model/url';
import { statusOfWord } from '../../nodes/Crew/model/executionStatus';
import { canReach, hostReach } from '../../nodes/Crew/model/hostReach';
import { documentedMessage } from '../support/documentedMessages';
import { holds, holdsAsync } from './support/property';
import { STATUS_WORDS } from './support/statusWords';
import { strangeJson, strangeText } from './support/strange';

const BASE = 'https://gateway.example.com/crews/42';
/** Not a pattern for the whole text: with a long text, that can overflow the stack of the pattern matcher. */
const NO_ASCII = /[^\x21-\x7e]/;

/** Addresses with misleading parts in any place. */
const addresses = fc
	.array(
		fc.oneof(
			{
				weight: 5,
				arbitrary: fc.constantFrom(
					...[
						'https:',
						'http:',
						'//',
						'/',
						'\\',
						'@',
						':',
						'?',
						'#',
						'.',
						'..',
						'%2f',
						'%2e',
						'%5c',
					],
					...[
						'gateway.example.com',
						'evil.example',
						'crews/42',
						'user:secret',
						'[::1]',
						'127.1',
						'443',
					],
					...['\r\n', '\t', ' ', '\u3002', 'е', '\u202e', '%00', 'xn--a'],
				),
			},
			{ weight: 1, arbitrary: strangeText },
		),
		{ maxLength: 8 },
	)
	.map((parts) => parts.join(''));
const urls = fc.oneof(
	addresses,
	addresses.map((address) => `https://${address}`),
	addresses.map((address) => BASE + address),
);

/** What was read; `undefined` if it was refused, which needs a documented reason. */
function readOrRefuse(read: () => string): string | undefined {
	try {
		return read();
	} catch (error) {
		expect(documentedMessage((error as Error).message)).toBeDefined();
		return undefined;
	}
}

describe('any text as an address', () => {
	it('is a base URL without surprises, or refused with a documented reason', () => {
		holds(fc.oneof(urls, strangeJson), (text) => {
			const url = readOrRefuse(() => readBaseUrl(text));
			if (url === undefined) return;
			const parsed = new URL(`${url}/inputs`);
			expect(parsed.href).toBe(`${url}/inputs`);
			expect(parsed).toMatchObject({ username: '', password: '', search: '', hash: '' });
			expect(url).toMatch(/^https?:\/\//);
			expect(url).not.toMatch(NO_ASCII);
		});
	});

	it('is a callback URL in ASCII without a user, or refused', () => {
		holds(urls, (text) => {
			if (callbackUrlProblem(text) !== undefined) return;
			const sent = asciiUrl(text);
			expect(sent).toMatch(/^https?:\/\//i);
			expect(sent).not.toMatch(NO_ASCII);
			expect(new URL(sent)).toMatchObject({ username: '', password: '' });
			expect(new URL(sent).host).toBe(new URL(text).host);
			expect(['loopback', 'private', 'public']).toContain(hostReach(sent));
			expect(canReach(sent, sent)).toBe(true);
		});
	});

	it('gets the access token only below the base URL', async () => {
		const credential = { baseUrl: BASE, accessToken: 'organisation-token' };
		const { authenticate } = new CrewApi();
		const request = fc.record({ url: urls, baseURL: fc.option(urls, { nil: undefined }) });
		await holdsAsync(request, async ({ url, baseURL }) => {
			try {
				await authenticate(credential, { url, baseURL });
			} catch (error) {
				expect(documentedMessage((error as Error).message)).toBeDefined();
				return;
			}
			expect(`${sentTo(url, baseURL)}/`).toMatch(
				/^https:\/\/gateway\.example\.com\/crews\/42[/?#]/,
			);
		});
	});
});

/** Joins the parts of an address in the way of axios, which n8n uses. */
function sentTo(url: string, baseURL = ''): string {
	const isWhole = baseURL === '' || /^([a-z][a-z\d+\-.]*:)?\/\//i.test(url);
	return new URL(isWhole ? url : `${baseURL.replace(/\/?\/$/, '')}/${url.replace(/^\/+/, '')}`)
		.href;
}

describe('any ID', () => {
	it('is one segment of the path, or refused with a documented message', () => {
		holds(fc.oneof(strangeText, addresses), (id) => {
			try {
				const { href, pathname } = new URL(`${BASE}/${pathSegment(id)}/status`);
				expect(pathname.split('/')).toHaveLength(5);
				expect(href.startsWith(`${BASE}/`) && href.endsWith('/status')).toBe(true);
			} catch (error) {
				expect(error).toBeInstanceOf(CrewApiError);
				expect(documentedMessage((error as Error).message)).toBeDefined();
			}
		});
	});
});

describe('any text in a header', () => {
	it('is an access token in ASCII, or refused with a documented reason', () => {
		holds(fc.oneof(strangeText, addresses, strangeJson), (text) => {
			const token = readOrRefuse(() => readAccessToken(text));
			if (token === undefined) return;
			expect(token).not.toBe('');
			expect(token).not.toMatch(NO_ASCII);
		});
	});

	it('is a time to wait, or none', () => {
		const values = fc.oneof(
			strangeText,
			strangeJson,
			fc.date({ noInvalidDate: false }).map(String),
			fc.double().map(String),
			fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
		);
		holds(values, (value) => {
			const milliseconds = readRetryAfter(value);
			if (milliseconds !== undefined) expect(milliseconds).toBeGreaterThanOrEqual(0);
			const sentence = tellPause(milliseconds) ?? 'It asked to wait 1 s before the next request.';
			expect(sentence).toMatch(/^It asked to wait [\de+.]+ s before the next request\.$/);
		});
	});
});

describe('any word', () => {
	it('is a status, or none', () => {
		holds(fc.oneof(strangeText, strangeJson), (word) => {
			const status = statusOfWord(word);
			if (status !== undefined) expect(STATUS_WORDS).toContain(status);
		});
	});
});

describe('anything that n8n throws', () => {
	it('has a documented message', () => {
		const codes = fc.oneof(
			strangeText,
			fc.constantFrom('ECONNRESET', 'Z_DATA_ERROR', 'HPE_INVALID', 'CREW_ANSWER_TOO_LARGE'),
		);
		const errors = fc.oneof(
			strangeJson,
			fc
				.tuple(strangeText, codes)
				.map(([message, code]) => Object.assign(new Error(message), { code })),
			strangeText.map((message) => new Error('wrapped', { cause: new Error(message) })),
		);
		holds(fc.tuple(errors, fc.constantFrom('GET', 'POST')), ([error, method]) => {
			const { message, description } = noAnswer(error, method, 20_000);
			expect(documentedMessage(message)).toBeDefined();
			expect(description.length).toBeLessThan(1_200);
		});
	});
});
