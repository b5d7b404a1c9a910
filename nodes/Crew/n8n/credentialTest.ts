import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { readAccessToken } from '../model/accessToken';
import { readBaseUrl } from '../model/url';
import { createClient } from '../api/client';
import type { Send } from '../api/exchange';
import { AT_ONCE, withRetries, whenTransient } from '../api/pacer';
import { exchange, type CrewCredential } from './send';

/** Milliseconds: a person is waiting for the result, however long the crew asks to wait. */
const LONGEST_TEST = 30_000;

/**
 * Tests a `crewApi` credential with `GET /inputs`. Distinguishes a wrong token, an address without a
 * server, and a server that is not a crew, which a list of status codes in the credential could not.
 */
export async function testCrewApi(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const credential = (data ?? {}) as unknown as CrewCredential;
	try {
		const url = readBaseUrl(credential.baseUrl);
		const token = readAccessToken(credential.accessToken);
		const client = createClient(url, sendBeforeSaving(this, url, token), AT_ONCE);
		const timeIsUp = AbortSignal.timeout(LONGEST_TEST);
		await withRetries(async () => await client.getInputs(), whenTransient, timeIsUp);
		return { status: 'OK', message: 'The crew answers and accepts the access token' };
	} catch (error) {
		const { message, description } = error as Error & { description?: string };
		// n8n shows the message on one line.
		const advice = description ? `. ${description.replaceAll(/\.?\n/g, '. ')}` : '';
		return { status: 'Error', message: message + advice };
	}
}

/** While a credential is edited, n8n gives its test only this helper, without authentication. */
function sendBeforeSaving(
	{ helpers }: ICredentialTestFunctions,
	baseUrl: string,
	token: string,
): Send {
	const end = Date.now() + LONGEST_TEST;
	return async ({ method, path, timeout }) => {
		const left = Math.max(0, Math.min(timeout, end - Date.now()));
		const request = {
			method,
			uri: baseUrl + path,
			headers: { Accept: 'application/json', Authorization: `Bearer ${token}` },
			timeout: left,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			useStream: true,
		};
		return await exchange(
			{ method, timeout },
			async () => (await helpers.request(request)) as unknown,
			left,
		);
	};
}
