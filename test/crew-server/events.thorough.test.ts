import { get, type IncomingMessage } from 'node:http';

import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { KEPT_EVENTS } from '../../crew-server/src/store/store';
import { Client } from './support/client';
import { dropStreams, followEvents } from './support/eventStream';
import { until } from './support/until';

let crew: CrewServer;
afterEach(async () => {
	dropStreams();
	await crew.close();
});

it('keeps a reader that reads steadily, however slowly', async () => {
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

it('tells a reader that comes too late which events are no longer kept', async () => {
	const events = Array.from({ length: KEPT_EVENTS }, () => ({
		type: 'event' as const,
		name: 'note',
		data: {},
	}));
	crew = await startCrewServer({
		engine: {
			crew: { name: 'talkative', inputs: [], tasks: [] },
			parallel: 1,
			begin: (run) => ({
				finished: run.report(...events, { type: 'crew_done' }).then(() => undefined),
				end: () => undefined,
			}),
			close: () => Promise.resolve(),
		},
	});
	const client = new Client(crew);
	const id = await client.kickoff();
	await client.untilStatus(id, 'completed');
	const stream = await followEvents(crew, id, { 'last-event-id': `${id}-1` });
	await until(() => stream.isClosed);
	expect(stream.events.slice(0, 2)).toMatchObject([
		{ id: `${id}-2`, type: 'events_missing', data: { from: 2, to: 2 } },
		{ id: `${id}-3`, type: 'note' },
	]);
	const inTime = await followEvents(crew, id, { 'last-event-id': `${id}-2` });
	await until(() => inTime.isClosed);
	expect(inTime.types).not.toContain('events_missing');
	expect(inTime.events).toHaveLength(KEPT_EVENTS);
});
