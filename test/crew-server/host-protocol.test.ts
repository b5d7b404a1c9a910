import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { readLines } from '../../crew-server/src/worker/crewai/messageLines';
import {
	CHILD_REPORTS,
	HOST_REPORTS,
	readMessage,
} from '../../crew-server/src/worker/crewai/protocol';

const page = readFileSync(
	join(__dirname, '..', '..', 'crew-server', 'python', 'PROTOCOL.md'),
	'utf8',
);

/** The messages of a section of the page, each with the names of its fields. */
function documented(title: string): Record<string, string[]> {
	const section = page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
	const rows = [...section.matchAll(/^\| `(\w+)` *\|([^|]*)\|/gm)];
	return Object.fromEntries(
		rows.map(([, name = '', fields = '']) => [
			name,
			[...fields.replace(/\(.*?\)/g, '').matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''),
		]),
	);
}

it.each([
	['Host to server', HOST_REPORTS],
	['Child to server', CHILD_REPORTS],
])('knows the messages of the page under %s', (title, table) => {
	const known = Object.entries<object>(table).map(([name, fields]) => [name, Object.keys(fields)]);
	expect(documented(title)).toEqual(Object.fromEntries(known));
});

it('reads a message', () => {
	const line = '{"type":"tokens","total":3,"prompt":2,"completion":1}';
	expect(readMessage(line, CHILD_REPORTS)).toEqual(JSON.parse(line));
});

it.each([
	'no JSON',
	'[]',
	'{}',
	'{"type":"unknown"}',
	'{"type":"toString"}',
	'{"type":"tokens","total":3,"prompt":2}',
	'{"type":"tokens","total":3,"prompt":2,"completion":1,"more":0}',
	'{"type":"tokens","total":"3","prompt":2,"completion":1}',
	'{"type":"event","name":"a","data":[]}',
	'{"type":"exited","child":1,"code":0,"signal":null,"lines":[]}',
])('refuses %s', (line) => {
	expect(() => readMessage(line, CHILD_REPORTS)).toThrow(Error);
});

describe('lines of a connection', () => {
	it('arrive whole, however they were cut', () => {
		const connection = new PassThrough();
		const lines: string[] = [];
		readLines(connection, (line) => lines.push(line));
		const bytes = Buffer.from('one\ntwö\n\nfo');
		for (const byte of bytes) connection.write(Buffer.of(byte));
		connection.write('ur\nfive\n');
		expect(lines).toEqual(['one', 'twö', '', 'four', 'five']);
	});

	it('end the connection if one is too long or cannot be read', () => {
		const errors: string[] = [];
		const open = (onLine: (line: string) => void) => {
			const connection = new PassThrough();
			connection.on('error', ({ message }) => errors.push(message));
			readLines(connection, onLine, 10);
			return connection;
		};
		const long = open(() => undefined);
		long.write('x'.repeat(11));
		const odd = open(() => {
			throw new Error('What is this?');
		});
		odd.write('x\n');
		expect([long.destroyed, odd.destroyed]).toEqual([true, true]);
		return new Promise<void>((resolve) => {
			odd.on('close', () => {
				expect(errors).toEqual(['A message has more than 10 bytes.', 'What is this?']);
				resolve();
			});
		});
	});
});
