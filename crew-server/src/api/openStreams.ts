import type { FastifyInstance, FastifyReply } from 'fastify';

/** Ends answers that would go on without end, so that the server can close. */
export function endAtClose(app: FastifyInstance, open: ReadonlySet<FastifyReply['raw']>): void {
	app.addHook('preClose', (done) => {
		for (const response of open) response.destroy();
		done();
	});
}
