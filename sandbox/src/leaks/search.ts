import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import execa from 'execa';
import type { N8nInstall } from '../n8n-install';
import { encodingsOf } from './encodings';
import type { Teardown } from '../teardown';
import type { KnownSecrets } from './known-secrets';

/** Bytes that are read at a time. */
const CHUNK = 4 * 1024 * 1024;

/** How much was searched, and the names, never the values, of secrets that were found. */
export interface Findings {
	bytes: number;
	found: string[];
}

/** Looks for secrets in a stream, in all encodings. The findings call it `source`. */
export async function searchStream(
	stream: Readable,
	source: string,
	secrets: KnownSecrets,
): Promise<Findings> {
	const needles = [...secrets.all()].flatMap(([value, name]) =>
		encodingsOf(value).map((form) => ({ name, bytes: Buffer.from(form) })),
	);
	const longest = Math.max(0, ...needles.map(({ bytes }) => bytes.length));
	const found = new Set<string>();
	let seen = 0;
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		seen += chunk.length;
		// A secret may extend across two chunks.
		const window = Buffer.concat([rest, chunk]);
		for (const { name, bytes } of needles) if (window.includes(bytes)) found.add(name);
		rest = window.subarray(Math.max(0, window.length - longest));
	}
	return { bytes: seen, found: [...found].map((name) => `${name} in ${source}`) };
}

/** Searches all files in n8n's home, and the rows of its SQLite databases. */
export async function searchHome(
	home: string,
	{ node }: Pick<N8nInstall, 'node'>,
	secrets: KnownSecrets,
): Promise<Findings> {
	const all: Findings[] = [];
	const files = await filesBelow(home);
	for (const file of files) {
		const content = createReadStream(file, { highWaterMark: CHUNK });
		all.push(await searchStream(content, relative(home, file), secrets));
	}
	// SQLite can spread a long text over separate pages, so the rows are searched, too. They come last, since opening
	// the database may remove its journal.
	for (const file of files.filter((name) => name.endsWith('.sqlite'))) {
		const dump = [node, join(__dirname, 'dump-sqlite.cjs'), file] as const;
		all.push(await searchOutput(dump, `the rows of ${relative(home, file)}`, secrets));
	}
	return {
		bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
		found: all.flatMap(({ found }) => found),
	};
}

/**
 * Looks for secrets in what a program prints.
 *
 * @throws if the program does not succeed
 */
export async function searchOutput(
	[program, ...args]: readonly [string, ...string[]],
	source: string,
	secrets: KnownSecrets,
	env: NodeJS.ProcessEnv = {},
): Promise<Findings> {
	const output = new PassThrough();
	const child = execa(program, args, { env, buffer: false, stderr: 'inherit' });
	child.stdout?.pipe(output);
	const [findings] = await Promise.all([searchStream(output, source, secrets), child]);
	return findings;
}

/** Makes `teardown` search a home after its n8n has stopped, and reject if it finds a secret. */
export function searchHomeAtEnd(
	teardown: Teardown,
	home: string,
	install: N8nInstall,
	secrets: KnownSecrets,
): void {
	teardown.add(async () => {
		refuseSecrets(await searchHome(home, install, secrets));
	});
}

/**
 * Rejects findings with a secret that n8n was given.
 *
 * @throws {Error} with what was found, and in which streams
 */
export function refuseSecrets({ found }: Findings): void {
	if (found.length === 0) return;
	throw new Error(`n8n has written down secrets: ${[...new Set(found)].join(', ')}`);
}

/** All files but those of installed packages, which n8n does not write. */
async function filesBelow(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((file) => !relative(folder, file).includes('node_modules'));
}
