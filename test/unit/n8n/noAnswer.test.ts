import { noAnswer } from '../../../nodes/Crew/n8n/noAnswer';

const withCode = (code: string) => Object.assign(new Error('Said by the network'), { code });
/** n8n wraps axios’s error, which wraps the network’s. */
const wrapped = (code: string) =>
	new Error('n8n', { cause: new Error('axios', { cause: withCode(code) }) });

describe('noAnswer', () => {
	it.each([
		['ECONNREFUSED', 'refuses the connection', true, false],
		['ENOTFOUND', 'has a name that cannot be found', true, false],
		['EAI_AGAIN', 'has a name that cannot be found', true, false],
		['EHOSTUNREACH', 'cannot be reached from here', true, false],
		['ENETUNREACH', 'cannot be reached from here', true, false],
		['CERT_HAS_EXPIRED', 'has a certificate that n8n does not trust', false, false],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'has a certificate that n8n does not trust', false, false],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'has a certificate that n8n does not trust', false, false],
		['EPROTO', 'does not understand n8n’s encryption', false, true],
		// A connection that breaks after the request looks like one that was never established.
		['ERR_SSL_WRONG_VERSION_NUMBER', 'does not understand n8n’s encryption', false, true],
		['ECONNABORTED', 'did not answer within 60 s', true, true],
		['ETIMEDOUT', 'did not answer within 60 s', true, true],
		['ECONNRESET', 'closed the connection without an answer', true, true],
		['EPIPE', 'closed the connection without an answer', true, true],
		['ERR_BAD_RESPONSE', 'sent an answer that ends too early or cannot be read', true, true],
		['HPE_INVALID_CONSTANT', 'sent an answer that ends too early or cannot be read', true, true],
		['Z_DATA_ERROR', 'sent an answer that ends too early or cannot be read', true, true],
		['CREW_ANSWER_TOO_LARGE', 'sends more than 64 MB in one answer', false, true],
		['ERR_CANCELED', 'had not answered yet when the execution was cancelled', false, true],
	])('says about %s: the server %s', (code, what, transient, mayHaveArrived) => {
		const failure = noAnswer(wrapped(code), 'POST', 60_000);
		expect(failure).toMatchObject({
			message: `The crew’s server ${what}`,
			description: expect.stringContaining(`(${code}).`) as unknown,
			transient,
			mayHaveArrived,
		});
	});

	it.each(['SsrfBlockedIpError', 'SsrfBlockedHostnameError'])(
		'knows that a request that n8n refuses to send has not arrived: %s',
		(name) => {
			const blocked = Object.assign(new Error('The request was blocked'), { name });
			const failure = noAnswer(new Error('n8n', { cause: blocked }), 'POST', 60_000);
			expect(failure).toMatchObject({
				message: 'The crew’s server has an address that this n8n does not allow requests to',
				mayHaveArrived: false,
				transient: false,
			});
		},
	);

	it('knows that a read changes nothing, even if it has arrived', () => {
		expect(noAnswer(withCode('ECONNRESET'), 'GET', 20_000).mayHaveArrived).toBe(false);
	});

	it.each([
		[new Error('No proxy'), 'settings: No proxy'],
		['text', 'settings'],
		[undefined, 'settings'],
		[{ code: 7 }, 'settings'],
	])('passes on an unknown error: %s', (error, end) => {
		const failure = noAnswer(error, 'POST', 60_000);
		expect(failure.message).toBe('n8n could not send the request to the crew');
		expect(failure.description.endsWith(end)).toBe(true);
		expect(failure).toMatchObject({ transient: false, mayHaveArrived: true });
	});

	it('does not loop forever in circular causes', () => {
		const error: Error & { cause?: unknown } = new Error('round');
		error.cause = error;
		expect(noAnswer(error, 'GET', 20_000).message).toMatch(/^n8n could not send/);
	});
});
