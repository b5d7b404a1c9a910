import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../../crew-server/src';
import { Client } from './client';
import { startReceiver, type Receiver } from './receiver';
import { until } from './until';

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const NOT_FOUND = { state: 'NOT FOUND', status: 'Task not found or Invalid kickoff id' };

/** A crew in the dialect `platform`, and a client that gets its callbacks. */
export interface Platform {
	crew: CrewServer;
	client: Client;
	receiver: Receiver;
	statusOf: (id: string) => Promise<Record<string, unknown>>;
	untilState: (id: string, word: string) => Promise<Record<string, unknown>>;
	close: () => Promise<void>;
}

export async function startPlatform(options: CrewServerOptions = {}): Promise<Platform> {
	const receiver = await startReceiver();
	const crew = await startCrewServer({ dialect: 'platform', ...options });
	const client = new Client(crew);
	const statusOf = async (id: string) => (await client.get(`/status/${id}`)).body;
	return {
		crew,
		client,
		receiver,
		statusOf,
		untilState: (id, word) =>
			until(async () => {
				const body = await statusOf(id);
				return body['state'] === word && body;
			}),
		close: async () => {
			await crew.close();
			await receiver.close();
		},
	};
}
