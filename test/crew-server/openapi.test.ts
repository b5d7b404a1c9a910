import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';
import { holdAgainstDocument } from './support/openapi';

let crew: CrewServer;
afterEach(() => crew.close());

interface Document {
	openapi: string;
	paths: Record<string, Record<string, { requestBody?: { content: Record<string, unknown> } }>>;
}

const documentOf = async () => (await (await fetch(`${crew.url}/openapi.json`)).json()) as Document;

it('lists every endpoint, and the inputs of this crew', async () => {
	crew = await startCrewServer();
	const document = await documentOf();
	expect(document.openapi).toBe('3.1.0');
	expect(Object.keys(document.paths).sort()).toEqual([
		'/health',
		'/inputs',
		'/kickoff',
		'/metrics',
		'/ready',
		'/resume',
		'/status/{kickoff_id}',
		'/stop/{kickoff_id}',
		'/{kickoff_id}',
		'/{kickoff_id}/events',
		'/{kickoff_id}/status',
	]);
	expect(document.paths['/kickoff']?.['post']?.requestBody?.content).toMatchObject({
		'application/json': {
			schema: {
				properties: {
					inputs: { required: ['topic'], properties: { topic: { type: 'string' } } },
				},
			},
		},
	});
});

it('follows the deployment’s dialect', async () => {
	crew = await startCrewServer({ dialect: 'queue' });
	const paths = Object.keys((await documentOf()).paths);
	expect(paths.filter((path) => path.includes('status'))).toEqual(['/status/{kickoff_id}']);
});

it('is checked against every answer that a client of these tests gets', async () => {
	crew = await startCrewServer();
	const client = new Client(crew);
	const { body } = await client.get('/inputs');
	const hold = (path: string, status: number, answer: unknown) =>
		holdAgainstDocument(crew.url, 'GET', path, status, answer);
	await expect(hold('/inputs', 200, body)).resolves.toBeUndefined();
	await expect(hold('/inputs', 200, { inputs: 'topic' })).rejects.toThrow('not as documented');
	await expect(hold('/inputs', 418, body)).rejects.toThrow('no answer 418');
	await expect(hold('/other', 200, body)).rejects.toThrow('has no GET /other');
});
