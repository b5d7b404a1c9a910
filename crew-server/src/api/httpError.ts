import type { Aspects } from './aspects';

const TITLES: Record<number, string> = {
	400: 'Bad Request',
	401: 'Unauthorized',
	403: 'Forbidden',
	404: 'Not Found',
	409: 'Conflict',
	413: 'Payload Too Large',
	422: 'Validation Error',
	429: 'Too Many Requests',
	500: 'Internal Server Error',
	503: 'Service Unavailable',
};

/** What is wrong with one field of a request; `path` starts with `body` or `path`. */
export interface ValidationError {
	path: string[];
	message: string;
	isMissing: boolean;
}

/** An answer other than success, before it takes the shape that the deployment speaks. */
export class HttpError extends Error {
	override readonly name = 'HttpError';
	/** Seconds after which the same request may be accepted. */
	retryAfter?: number;

	constructor(
		readonly statusCode: number,
		message: string,
		readonly validationErrors: readonly ValidationError[] = [],
		/** What is wrong with the whole request, if some deployments have their own words for it. */
		readonly sort?: 'no_json' | 'no_token',
	) {
		super(message);
	}
}

/** An error for a request that may be accepted some seconds later. */
export function temporaryError(
	statusCode: 429 | 503,
	message: string,
	retryAfter: number,
): HttpError {
	return Object.assign(new HttpError(statusCode, message), { retryAfter });
}

/** There is no such execution, or it is not for this client. */
export function unknownExecution(): HttpError {
	return new HttpError(404, 'Execution not found');
}

/** The status and the body of an HTTP error: documented, or as web frameworks write them. */
export function errorAnswer(
	httpError: HttpError,
	{ errorBody }: Aspects,
): { statusCode: number; body: Record<string, unknown> | string } {
	const { statusCode } = httpError;
	if (errorBody === 'documented') return { statusCode, body: documentedBody(httpError) };
	const platforms = errorBody === 'platform' && platformAnswer(httpError);
	if (platforms) return platforms;
	if (httpError.validationErrors.length === 0)
		return { statusCode, body: { detail: httpError.message } };
	// Frameworks report every field that does not fit as a validation error.
	return { statusCode: 422, body: { detail: httpError.validationErrors.map(frameworkEntry) } };
}

/** What the vendor's platform answers differently from web frameworks. */
function platformAnswer({
	statusCode,
	validationErrors,
	sort,
}: HttpError): { statusCode: number; body: Record<string, unknown> | string } | undefined {
	if (sort === 'no_json') return { statusCode: 500, body: 'Internal Server Error' };
	if (sort === 'no_token') return { statusCode, body: { detail: 'Not authenticated' } };
	if (statusCode === 401) {
		return { statusCode, body: { detail: 'Invalid or missing authentication credentials' } };
	}
	const inputs = missingInputs(validationErrors);
	if (inputs.length === 0) return undefined;
	return { statusCode, body: { detail: `Missing inputs: ${inputs.sort().join(', ')}` } };
}

function missingInputs(validationErrors: readonly ValidationError[]): string[] {
	const missing = validationErrors.filter(
		({ isMissing, path }) => isMissing && path[1] === 'inputs',
	);
	return missing.flatMap(({ path }) => path[2] ?? []);
}

function documentedBody({
	statusCode,
	message,
	validationErrors,
}: HttpError): Record<string, unknown> {
	const error = TITLES[statusCode] ?? 'Error';
	if (validationErrors.length === 0) return { error, message };
	const missing = validationErrors.filter(({ isMissing }) => isMissing).map(({ path }) => path);
	const inputs = missingInputs(validationErrors);
	const fields = missing.filter(([, parent]) => parent !== 'inputs').map(fieldName);
	const invalid = validationErrors
		.filter(({ isMissing }) => !isMissing)
		.map(({ path, message: text }) => ({ field: fieldName(path), message: text }));
	return {
		error,
		message,
		details: {
			...(inputs.length > 0 ? { missing_inputs: inputs } : {}),
			...(fields.length > 0 ? { missing_fields: fields } : {}),
			...(invalid.length > 0 ? { invalid_fields: invalid } : {}),
		},
	};
}

function frameworkEntry({ path, message, isMissing }: ValidationError): Record<string, unknown> {
	return isMissing
		? { loc: path, msg: 'Field required', type: 'missing' }
		: { loc: path, msg: message, type: 'value_error' };
}

/** `['body', 'inputs', 'year']` -> `inputs.year` */
function fieldName(path: string[]): string {
	return path.slice(1).join('.') || (path[0] ?? '');
}
