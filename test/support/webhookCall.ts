/** A request to a webhook, with the body as an object or as the text that was sent. */
export interface WebhookCall {
	body: unknown;
	query?: Record<string, unknown>;
	headers?: Record<string, string>;
	/** Whether a body that n8n has not read cannot be read any more. */
	isBroken?: boolean;
}

export interface WebhookAnswer {
	/** The status of the node's own answer; 200 if it leaves the answer to n8n. */
	status: number;
	/** The answer's body. */
	answer: unknown;
}

const PARSABLE = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];

/**
 * A request as n8n reads it, parsed by its content type and with its raw body, and a response that records the node's
 * answer in `outcome`.
 *
 * @param typeVersion above 1, n8n leaves it to the node to read a body that n8n cannot parse
 */
export function webhookCall(call: WebhookCall, typeVersion = 1) {
	const { body, query = {}, headers = {}, isBroken = false } = call;
	const raw = typeof body === 'string' ? body : JSON.stringify(body);
	const allHeaders = { 'content-type': 'application/json', ...headers };
	// Like n8n: the label is not trimmed.
	const [label] = allHeaders['content-type'].toLowerCase().split(';');
	const isText = label === 'text/plain';
	const isRead = typeVersion === 1 || PARSABLE.some((known) => label?.startsWith(known));
	const outcome: WebhookAnswer = { status: 200, answer: undefined };
	return {
		outcome,
		httpRequest: {
			contentType: label,
			async readRawBody() {
				if (isBroken) throw new Error('request entity too large');
				this.rawBody = await Promise.resolve(Buffer.from(raw));
			},
			body: label === 'application/json' ? (JSON.parse(raw) as unknown) : isText ? raw : undefined,
			rawBody: isRead ? Buffer.from(raw) : (undefined as Buffer | undefined),
			headers: allHeaders,
			params: {},
			query,
		},
		httpResponse: {
			statusCode: 200,
			writableEnded: false,
			status(code: number) {
				this.statusCode = outcome.status = code;
				return this;
			},
			json(answer: unknown) {
				this.writableEnded = true;
				outcome.answer = answer;
			},
		},
	};
}
