/** What a request to a webhook brings; the body as an object, or as the text that was sent. */
export interface WebhookCall {
	body: unknown;
	query?: Record<string, unknown>;
	headers?: Record<string, string>;
}

export interface WebhookAnswer {
	/** The status of the answer that the node gave itself; 200 where it leaves that to n8n. */
	status: number;
	/** The answer's body. */
	answer: unknown;
}

/**
 * A request as n8n has read it, parsed by its content type and with the raw body beside it, and a
 * response that notes in `outcome` what the node answers.
 */
export function webhookCall({ body, query = {}, headers = {} }: WebhookCall) {
	const raw = typeof body === 'string' ? body : JSON.stringify(body);
	const allHeaders = { 'content-type': 'application/json', ...headers };
	// As n8n does: the label as it stands, without spaces taken off.
	const [label] = allHeaders['content-type'].toLowerCase().split(';');
	const isText = label === 'text/plain';
	const outcome: WebhookAnswer = { status: 200, answer: undefined };
	return {
		outcome,
		httpRequest: {
			body: label === 'application/json' ? (JSON.parse(raw) as unknown) : isText ? raw : undefined,
			rawBody: Buffer.from(raw),
			headers: allHeaders,
			params: {},
			query,
		},
		httpResponse: {
			status(code: number) {
				outcome.status = code;
				return this;
			},
			json(answer: unknown) {
				outcome.answer = answer;
			},
		},
	};
}
