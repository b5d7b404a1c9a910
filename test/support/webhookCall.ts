/** What a request to a webhook brings; the body as an object, or as the text that was sent. */
export interface WebhookCall {
	body: unknown;
	query?: Record<string, unknown>;
	headers?: Record<string, string>;
	/** Whether what n8n has not read yet cannot be read any more. */
	isBroken?: boolean;
}

export interface WebhookAnswer {
	/** The status of the answer that the node gave itself; 200 if it leaves that to n8n. */
	status: number;
	/** The answer's body. */
	answer: unknown;
}

const PARSABLE = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];

/**
 * A request as n8n has read it, parsed by its content type and with the raw body beside it, and a
 * response that notes in `outcome` what the node answers.
 *
 * @param typeVersion above 1, n8n leaves to the node to have read what n8n cannot parse
 */
export function webhookCall(call: WebhookCall, typeVersion = 1) {
	const { body, query = {}, headers = {}, isBroken = false } = call;
	const raw = typeof body === 'string' ? body : JSON.stringify(body);
	const allHeaders = { 'content-type': 'application/json', ...headers };
	// As n8n does: the label as it stands, without spaces taken off.
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
