import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

import type { CrewDescription } from '../domain/crew';

/** Serves `GET /openapi.json`, made of the schemas of all routes that the instance adds afterwards. */
export async function addOpenApi(app: FastifyInstance, crew: CrewDescription): Promise<void> {
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: {
				title: `The crew "${crew.name}"`,
				description: crew.description ?? 'A crew that is deployed on this machine',
				version: '1.0.0',
			},
			components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
			security: [{ bearer: [] }],
		},
	});
	app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
}
