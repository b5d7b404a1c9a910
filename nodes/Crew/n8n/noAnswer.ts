import { TOO_LARGE } from './answerText';
import { CrewApiError, shorten } from '../api/errors';
import type { CrewRequest } from '../api/exchange';

const CHECK_ADDRESS =
	'Check the base URL in the Crew API credential and that the crew is deployed and running';

interface Fault {
	codes: RegExp;
	/** What happened, to follow “The crew’s server”. */
	what: string;
	/** Default: {@link CHECK_ADDRESS}. */
	advice?: string;
	/** Whether the server cannot have seen the request. */
	neverArrived?: boolean;
	outcome?: 'refused' | 'failed';
	/** Whether the next try will end in the same way. */
	isLasting?: boolean;
}

/** By the network's error code; the first match counts, and the last matches everything. */
const FAULTS: readonly Fault[] = [
	{
		codes: /^ECONNREFUSED$/,
		what: 'refuses the connection',
		neverArrived: true,
		outcome: 'refused',
	},
	{
		codes: /^(ENOTFOUND|EAI_AGAIN)$/,
		what: 'has a name that cannot be found',
		neverArrived: true,
	},
	{
		codes: /^(EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
		what: 'cannot be reached from here',
		neverArrived: true,
	},
	{
		codes: /^(EPROTO|ERR_SSL_)/,
		what: 'does not understand n8n’s encryption',
		advice: 'Check whether the crew’s address starts with https:// or with http://',
		isLasting: true,
	},
	{
		codes: /CERT|^ERR_TLS_|SELF_SIGNED|UNABLE_TO_VERIFY/,
		what: 'has a certificate that n8n does not trust',
		advice: 'Use the address that the certificate was made for, with https://',
		neverArrived: true,
		isLasting: true,
	},
	{
		codes: /^(ECONNABORTED|ETIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$/,
		what: 'did not answer within {seconds} s',
		advice: 'Check that the crew is running, then try again',
		outcome: 'failed',
	},
	{
		codes: /^(ERR_BAD_RESPONSE|Z_|HPE_)/,
		what: 'sent an answer that ends too early or cannot be read',
		advice: 'Check whether there is a proxy in front of the crew, then try again',
		outcome: 'failed',
	},
	{
		codes: new RegExp(`^${TOO_LARGE}$`),
		what: 'sends more than 64 MB in one answer',
		advice:
			'n8n stops reading there. Check that this is the crew’s address, and let the crew store large results elsewhere and return a link to them',
		isLasting: true,
	},
	{
		codes: /^Ssrf/,
		what: 'has an address that this n8n does not allow requests to',
		advice:
			'Ask the administrator of this n8n to allow the crew’s host name or its range of addresses (N8N_SSRF_ALLOWED_HOSTNAMES, N8N_SSRF_ALLOWED_IP_RANGES)',
		neverArrived: true,
		isLasting: true,
	},
	{
		codes: /^ERR_CANCELED$/,
		what: 'had not answered yet when the execution was cancelled',
		advice: 'Run the workflow again',
		isLasting: true,
	},
	{
		codes: /(?:)/,
		what: 'closed the connection without an answer',
		advice: 'Check that the crew is running, then try again',
		outcome: 'failed',
	},
];

/** Why there was no answer, from the error of n8n's request helper. */
export function noAnswer(
	error: unknown,
	method: CrewRequest['method'],
	timeout: number,
): CrewApiError {
	const code = networkCode(error);
	const fault = FAULTS.find(({ codes }) => code !== undefined && codes.test(code));
	const mayHaveArrived = method === 'POST' && fault?.neverArrived !== true;
	if (!fault) {
		const said = error instanceof Error ? `: ${shorten(error.message)}` : '';
		return new CrewApiError('n8n could not send the request to the crew', {
			mayHaveArrived,
			description: `Check the Crew API credential and this n8n’s network settings${said}`,
		});
	}
	const what = fault.what.replace('{seconds}', String(timeout / 1000));
	return new CrewApiError(`The crew’s server ${what}`, {
		transient: fault.isLasting !== true,
		mayHaveArrived,
		outcome: fault.outcome,
		description: `${fault.advice ?? CHECK_ADDRESS} (${shorten(code ?? '', 100)}).`,
	});
}

/** The network's code, which is somewhere among the causes of n8n's error. */
function networkCode(error: unknown): string | undefined {
	let current: unknown = error;
	for (let depth = 0; depth < 5 && typeof current === 'object' && current; depth++) {
		const { code, cause, name } = current as { code?: unknown; cause?: unknown; name?: unknown };
		if (typeof code === 'string') return code;
		// n8n's own protection gives no code.
		if (typeof name === 'string' && /^Ssrf/.test(name)) return name;
		current = cause;
	}
	return undefined;
}
