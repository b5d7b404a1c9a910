import { get, type IncomingMessage } from 'node:http';

import type { CrewServer } from '../../../crew-server/src';
import type { StreamEvent } from '../../../crew-server/src/domain/execution';

const open = new Set<EventStream>();

/** A stream as a client reads it, line by line. */
export class EventStream {
	text = '';
	isClosed = false;

	constructor(readonly response: IncomingMessage) {
		response.setEncoding('utf8');
		response.on('data', (text: string) => (this.text += text));
		response.on('close', () => (this.isClosed = true));
		response.on('error', () => undefined);
		open.add(this);
	}

	get events(): StreamEvent[] {
		return [...this.text.matchAll(/^id: (.+)\nevent: (.+)\ndata: (.+)\n\n/gm)].map(
			([, id, type, data = '']) => {
				const event = JSON.parse(data) as StreamEvent;
				expect([event.id, event.type]).toEqual([id, type]);
				return event;
			},
		);
	}

	get types(): string[] {
		return this.events.map(({ type }) => type);
	}

	drop(): void {
		this.response.destroy();
	}
}

/** Reads the events of an execution, after the `last-event-id` of the headers. */
export function followEvents(
	crew: CrewServer,
	kickoffId: string,
	headers: Record<string, string> = {},
	token = crew.accessToken,
): Promise<EventStream> {
	return new Promise((resolve, reject) => {
		const all = { authorization: `Bearer ${token}`, ...headers };
		get(`${crew.url}/${kickoffId}/events`, { headers: all }, (response) => {
			resolve(new EventStream(response));
		}).on('error', reject);
	});
}

/** Ends all open streams. */
export function dropStreams(): void {
	for (const stream of open) stream.drop();
	open.clear();
}
