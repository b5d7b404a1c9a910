import { get, type IncomingMessage } from 'node:http';

import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';
import { until } from './support/until';

let crew: CrewServer;
afterEach(() => crew.close());

it('keeps a reader that takes what there is steadily, however slowly', async () => {
	const faults = ['output=3MB@find_sources*1'];
	crew = await startCrewServer({ crew: 'research', heartbeat: 100, faults });
	const client = new Client(crew);
	const id = await client.kickoff();
	await client.untilStatus(id, 'completed');
	const headers = { authorization: `Bearer ${crew.accessToken}` };
	const response = await new Promise<IncomingMessage>((resolve) => {
		get(`${crew.url}/${id}/events`, { headers }, resolve);
	});
	let end = '';
	response.on('error', () => undefined);
	response.setEncoding('utf8').on('data', (text: string) => {
		end = (end + text).slice(-1_000);
		response.pause();
		setTimeout(() => response.resume(), 2);
	});
	await until(() => response.closed, 30_000);
	expect(end).toContain('event: crew_kickoff_completed');
});
