import type { FastifyInstance } from 'fastify';

import { answers } from './answerSchemas';
import type { Aspects } from './aspects';
import { whoAsks } from './bearer';
import { HttpError } from './httpError';

/** Where the metrics for Prometheus come from. */
export interface MetricsSource {
	readonly contentType: string;
	/** All metrics, in the format of Prometheus. */
	text(): Promise<string>;
}

/** `GET /metrics`, only for the access token, since the metrics are about everyone's executions. */
export function addMetrics(
	app: FastifyInstance,
	{ metrics, aspects }: { metrics: MetricsSource; aspects: Aspects },
): void {
	const text = { content: { 'text/plain': { schema: { type: 'string' } } } };
	const schema = {
		summary: 'Metrics of the deployment and this process, for Prometheus',
		response: answers(200, text, aspects),
	};
	app.get('/metrics', { schema }, async (request, reply) => {
		if (whoAsks(request) !== 'organisation') {
			throw new HttpError(403, 'Metrics are for the access token, not for the user access token');
		}
		return await reply.type(metrics.contentType).send(await metrics.text());
	});
}
