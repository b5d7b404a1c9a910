import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

import type { CrewDescription } from '../domain/crew';
import { OPEN_TO_ALL } from './strangers';

/** Serves `GET /openapi.json`, made from the schemas of all routes that are added afterwards. */
export async function addOpenApi(app: FastifyInstance, crew: CrewDescription): Promise<void> {
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: {
				title: `The crew "${crew.name}"`,
				description: crew.description ?? 'A crew that runs on this machine',
				version: '1.0.0',
			},
			components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
			security: [{ bearer: [] }],
		},
	});
	const options = { schema: { hide: true }, config: OPEN_TO_ALL };
	app.get('/openapi.json', options, () => app.swagger());
}
