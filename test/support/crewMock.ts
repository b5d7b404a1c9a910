import nock from 'nock';
import { CREDENTIAL } from './engine';
import { KICKOFF_ID, type Dialect, type OperationName } from './crewOperations';

type Answer = readonly [status: number, body?: unknown, headers?: Record<string, string>];

let crews = 0;

/** A base URL that no test has used, since the node remembers things about each crew. */
export function newBaseUrl(): string {
	return `https://crew-${++crews}.example.com`;
}

/**
 * Lets the crew at `baseUrl` answer one operation, any number of times.
 *
 * @returns the times of its requests, and of status requests to the path that the deployment does not have
 */
export function answerOperation(
	baseUrl: string,
	dialect: Dialect,
	operation: OperationName,
	answer: () => Answer,
): { askedAt: number[]; strayAt: number[] } {
	const askedAt: number[] = [];
	const strayAt: number[] = [];
	const [method, path] = dialect.requests[operation];
	const crew = nock(baseUrl, {
		reqheaders: { authorization: `Bearer ${CREDENTIAL.accessToken}` },
	}).persist();
	crew.intercept(path, method).reply(() => {
		askedAt.push(Date.now());
		const [status, body, headers] = answer();
		return [status, body as nock.Body, headers];
	});
	const paths = [`/${KICKOFF_ID}/status`, `/status/${KICKOFF_ID}`];
	const strayPath = paths.find((known) => known !== dialect.requests.getStatus[1]);
	crew.get(strayPath ?? '').reply(() => {
		strayAt.push(Date.now());
		return [404, { detail: 'Not Found' }];
	});
	return { askedAt, strayAt };
}
