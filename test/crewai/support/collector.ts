import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

import { listenOnLoopback } from '../../../sandbox/src/loopback';

/** A span as it was sent. */
export interface Span {
	name: string;
	trace: string;
	id: string;
	/** The span that it is a part of; none at the top. */
	parent: string | undefined;
}

export interface Collector {
	url: string;
	/** All spans so far. */
	spans: Span[];
	close: () => Promise<void>;
}

/** Receives spans of OpenTelemetry, in OTLP over HTTP. */
export async function startCollector(): Promise<Collector> {
	const spans: Span[] = [];
	const server = createServer((request, response) => {
		const pieces: Buffer[] = [];
		request.on('data', (piece: Buffer) => pieces.push(piece));
		request.on('end', () => {
			const body = Buffer.concat(pieces);
			const isZipped = request.headers['content-encoding'] === 'gzip';
			if (request.url?.endsWith('/v1/traces'))
				spans.push(...spansIn(isZipped ? gunzipSync(body) : body));
			response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
		});
	});
	return { ...(await listenOnLoopback(server)), spans };
}

/** The fields of a message of Protocol Buffers that have a length: of each its number, and its bytes. */
function* fieldsOf(message: Buffer): Generator<[number, Buffer]> {
	let place = 0;
	const readNumber = () => {
		let value = 0;
		for (let factor = 1; ; factor *= 128) {
			const byte = message[place++] ?? 0;
			value += (byte % 128) * factor;
			if (byte < 128) return value;
		}
	};
	while (place < message.length) {
		const key = readNumber();
		const kind = key % 8;
		if (kind === 0) readNumber();
		else if (kind === 1) place += 8;
		else if (kind === 5) place += 4;
		else {
			const length = readNumber();
			yield [Math.floor(key / 8), message.subarray(place, (place += length))];
		}
	}
}

const within = (messages: Buffer[], number: number) =>
	messages.flatMap((message) =>
		[...fieldsOf(message)].filter(([field]) => field === number).map(([, bytes]) => bytes),
	);

/** Of an ExportTraceServiceRequest: resource_spans, scope_spans, spans. */
function spansIn(request: Buffer): Span[] {
	return within(within(within([request], 1), 2), 2).map((span) => {
		const fields = new Map(fieldsOf(span));
		const hex = (number: number) => fields.get(number)?.toString('hex') ?? '';
		return {
			name: fields.get(5)?.toString() ?? '',
			trace: hex(1),
			id: hex(2),
			parent: hex(4) === '' ? undefined : hex(4),
		};
	});
}
