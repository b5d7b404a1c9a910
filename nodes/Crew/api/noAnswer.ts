import { CrewApiError, shorten } from './errors';
import type { CrewRequest } from './send';

/** No request left this machine, or none reached the server's port: nothing can have been started. */
const NEVER_SENT = new Map([
	['ECONNREFUSED', 'refuses the connection'],
	['ENOTFOUND', 'has a name that cannot be found'],
	['EAI_AGAIN', 'has a name that cannot be found right now'],
	['EHOSTUNREACH', 'cannot be reached from here'],
	['ENETUNREACH', 'cannot be reached from here'],
]);

const CERTIFICATE = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO/;

/** Why no answer came, read from what n8n's request helper threw. */
export function noAnswer(
	error: unknown,
	method: CrewRequest['method'],
	timeout: number,
): CrewApiError {
	const code = networkCode(error);
	const reason = NEVER_SENT.get(code ?? '');
	if (reason) {
		return new CrewApiError(`The crew’s server ${reason}`, {
			transient: true,
			description:
				'Check the base URL in the Crew API credential and that the crew is deployed and running.',
		});
	}
	if (code && CERTIFICATE.test(code)) {
		return new CrewApiError('The crew’s server has a certificate that n8n does not trust', {
			description: `Use the address that the certificate was made for, with https:// (${code}).`,
		});
	}
	const mayHaveArrived = method === 'POST';
	if (!code) {
		const said = error instanceof Error ? `: ${shorten(error.message)}` : '';
		return new CrewApiError('n8n could not send the request to the crew', {
			mayHaveArrived,
			description: `Check the Crew API credential and this n8n’s network settings${said}`,
		});
	}
	const isTimeout = code === 'ECONNABORTED' || code === 'ETIMEDOUT';
	const what = isTimeout
		? `did not answer within ${timeout / 1000} s`
		: 'closed the connection without an answer';
	return new CrewApiError(`The crew’s server ${what}`, {
		transient: true,
		mayHaveArrived,
		description: `Look at the crew’s dashboard whether it is up, then try again (${code}).`,
	});
}

/** n8n wraps what the network said: the code is somewhere down the causes. */
function networkCode(error: unknown): string | undefined {
	let current: unknown = error;
	for (let depth = 0; depth < 5 && current instanceof Object; depth++) {
		const { code, cause } = current as { code?: unknown; cause?: unknown };
		if (typeof code === 'string') return code;
		current = cause;
	}
	return undefined;
}
