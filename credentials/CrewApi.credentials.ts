import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { readAccessToken } from '../nodes/Crew/model/accessToken';
import { readBaseUrl } from '../nodes/Crew/model/url';
import { parseUrl } from '../nodes/Crew/model/url';

/** The requests of n8n's helpers; those of older nodes say `uri`, and have another name for redirects. */
type AnyRequest = IHttpRequestOptions & {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
};

/** Address and token of one deployed crew. Both token types of the API are sent the same way. */
export class CrewApi implements ICredentialType {
	name = 'crewApi';

	displayName = 'Crew API';

	icon: Icon = { light: 'file:../nodes/Crew/crew.svg', dark: 'file:../nodes/Crew/crew.dark.svg' };

	// n8n's scanner requires one. For the nodes, n8n itself links to this page.
	documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-crew';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://my-crew.example.com',
			description: 'The crew’s address, from its dashboard or from what the crew server printed',
		},
		{
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'The Bearer Token or User Bearer Token from the Status tab of the crew’s dashboard, or a token that the crew server printed',
		},
		{
			displayName: 'Callback Secret',
			name: 'callbackSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'A long random text of your own, from which the tokens of callback URLs are derived. It is never sent anywhere.',
		},
	];

	/**
	 * Adds the token, to requests below the crew's own address only, and turns off redirects: n8n's
	 * HTTP Request node follows them by default, and older versions of it take the token along.
	 */
	authenticate = async (
		{ baseUrl, accessToken }: ICredentialDataDecryptedObject,
		request: AnyRequest,
	): Promise<AnyRequest> => {
		const url = readBaseUrl(baseUrl);
		const token = readAccessToken(accessToken);
		const target = targetOf(request);
		if (!target || !isBelow(target, url)) {
			throw new Error(
				`The access token is for ${url} and is not sent to ${target?.origin ?? 'another address'}: use the credential of that crew`,
			);
		}
		return await Promise.resolve({
			...request,
			headers: { ...request.headers, Authorization: `Bearer ${token}` },
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
		});
	};
}

/** The address, joined from its two parts as n8n does it, which differs from `URL`. */
function targetOf({ url, uri, baseURL }: AnyRequest): URL | undefined {
	const path = url || (uri ?? '');
	const isWhole = /^([a-z][a-z\d+.-]*:)?\/\//i.test(path);
	if (baseURL === undefined || baseURL === '' || isWhole) return parseUrl(path);
	return parseUrl(`${baseURL.replace(/\/?\/$/, '')}/${path.replace(/^\/+/, '')}`);
}

/** Some servers treat an encoded slash as a slash, and would leave the crew's path. */
function isBelow({ origin, pathname }: URL, url: string): boolean {
	if (/(%2f|%5c)(\.|%2e){2}|(\.|%2e){2}(%2f|%5c)/i.test(pathname)) return false;
	return `${origin}${pathname}/`.startsWith(`${url}/`);
}
