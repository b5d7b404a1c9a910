import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { startCrewServer, type CrewServer } from '../../crew-server/src';

/** Milliseconds: Node looks every half a minute at how long requests have taken. */
const PATIENCE = 120_000;

let server: CrewServer;
beforeAll(async () => {
	server = await startCrewServer();
});
afterAll(async () => {
	await server.close();
});

it(
	'closes the connection of a request that never arrives whole',
	async () => {
		const { hostname, port } = new URL(server.url);
		const connection = connect(Number(port), hostname);
		const headers = [
			'Host: crew',
			`Authorization: Bearer ${server.accessToken}`,
			'Content-Length: 100',
		];
		connection.write(['POST /kickoff HTTP/1.1', ...headers, '', '{"inputs"'].join('\r\n'));
		expect(await text(connection)).toMatch(/^HTTP\/1\.1 408 /);
	},
	PATIENCE,
);
