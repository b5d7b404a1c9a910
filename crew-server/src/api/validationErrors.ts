import type { FastifyError } from 'fastify';

import { HttpError, type ValidationError } from './httpError';

/** How many mistakes are reported: all mistakes of a hostile body would hold up others. */
const MOST_ERRORS = 100;

type Validation = NonNullable<FastifyError['validation']>[number];

/** What Fastify found wrong with a request, as an HTTP error; `undefined` for a fault of our own. */
export function httpErrorOf(error: FastifyError): HttpError | undefined {
	if (error.validation) return httpErrorOfValidation(error.validation, error.validationContext);
	if (error.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
		return new HttpError(400, 'Invalid input format: the body is not JSON', [], 'no_json');
	}
	if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
		return new HttpError(
			400,
			'Invalid input format: send JSON with Content-Type: application/json',
		);
	}
	if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
		return new HttpError(413, 'The body is larger than this deployment accepts');
	}
	const isClients = error.statusCode !== undefined && error.statusCode < 500;
	return isClients ? new HttpError(error.statusCode ?? 400, error.message) : undefined;
}

function httpErrorOfValidation(validation: Validation[], context = 'body'): HttpError {
	const root = context === 'params' ? 'path' : context;
	const validationErrors = validation
		// `if` only repeats the mistake of one of its branches.
		.filter(({ keyword }) => keyword !== 'if')
		.slice(0, MOST_ERRORS)
		.map((entry) => validationErrorOf(entry, root));
	const missing = validationErrors.filter(({ isMissing }) => isMissing);
	if (missing.length > 0) {
		const isInput = missing.some(({ path }) => path[1] === 'inputs');
		return new HttpError(
			422,
			`Missing required ${isInput ? 'inputs' : 'fields'}`,
			validationErrors,
		);
	}
	const texts = validationErrors.map(
		({ path, message }) => `${path.slice(1).join('.') || root} ${message}`,
	);
	return new HttpError(400, `Invalid input format: ${texts.join('; ')}`, validationErrors);
}

function validationErrorOf(
	{ instancePath, keyword, params, message }: Validation,
	root: string,
): ValidationError {
	const path = [root, ...instancePath.split('/').slice(1).map(unescapePointer)];
	if (keyword === 'required') {
		return {
			path: [...path, String(params['missingProperty'])],
			message: 'is required',
			isMissing: true,
		};
	}
	// The only pattern among the schemas is that of an address.
	const text = keyword === 'pattern' ? 'must be an http or https URL' : message;
	return { path, message: text ?? 'does not fit', isMissing: false };
}

/** Decodes `~` and `/` in a JSON Pointer, see RFC 6901. */
function unescapePointer(part: string): string {
	return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
