import type { Duplex, Readable } from 'node:stream';

/**
 * Reads a connection line by line.
 *
 * @param onLine takes each line; if it throws, the connection ends with that error
 * @param limit bytes that a line may have
 */
export function readLines(
	connection: Readable,
	onLine: (line: string) => void,
	limit = Infinity,
): void {
	let pieces: Buffer[] = [];
	let bytes = 0;
	const take = (piece: Buffer) => {
		bytes += piece.length;
		if (bytes > limit) throw new Error(`A message has more than ${limit} bytes.`);
		pieces.push(piece);
	};
	const read = (data: Buffer) => {
		let start = 0;
		for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
			take(data.subarray(start, end));
			const line = Buffer.concat(pieces).toString('utf8');
			pieces = [];
			bytes = 0;
			start = end + 1;
			onLine(line);
		}
		take(data.subarray(start));
	};
	connection.on('data', (data: Buffer) => {
		try {
			read(data);
		} catch (error) {
			connection.destroy(error as Error);
		}
	});
}

export function writeLine(connection: Duplex, message: object): void {
	if (connection.writable) connection.write(`${JSON.stringify(message)}\n`);
}
