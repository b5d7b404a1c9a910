import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import execa from 'execa';
import type { N8nInstall } from '../n8n-install';
import { encodingsOf } from './encodings';
import type { Teardown } from '../teardown';
import type { KnownSecrets } from './known-secrets';

/** Bytes that are looked at together. */
const CHUNK = 4 * 1024 * 1024;

/** What was looked through, and what should not have been there: never a secret itself, only what it is. */
export interface Findings {
	bytes: number;
	found: string[];
}

/** Looks for secrets in a stream, whatever their encoding. `where` is its name in the findings. */
export async function searchStream(
	stream: Readable,
	where: string,
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
		// A secret may lie across two chunks.
		const window = Buffer.concat([rest, chunk]);
		for (const { name, bytes } of needles) if (window.includes(bytes)) found.add(name);
		rest = window.subarray(Math.max(0, window.length - longest));
	}
	return { bytes: seen, found: [...found].map((name) => `${name} in ${where}`) };
}

/** Looks through all files that n8n has left in its home, and through the rows of its SQLite databases. */
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
	// SQLite spreads a long text over pages that need not follow each other: its rows are looked at too.
	// Only then, since opening the database may end its journal.
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
	where: string,
	secrets: KnownSecrets,
	env: NodeJS.ProcessEnv = {},
): Promise<Findings> {
	const output = new PassThrough();
	const child = execa(program, args, { env, buffer: false, stderr: 'inherit' });
	child.stdout?.pipe(output);
	const [findings] = await Promise.all([searchStream(output, where, secrets), child]);
	return findings;
}

/** Has `teardown` look through a home once its n8n is stopped, and reject if it finds a secret. */
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
 * Refuses what holds a secret that n8n was told in confidence.
 *
 * @throws naming what was found where
 */
export function refuseSecrets({ found }: Findings): void {
	if (found.length === 0) return;
	throw new Error(`n8n has written down what is secret: ${[...new Set(found)].join(', ')}`);
}

/** Without the installed packages, which n8n does not write. */
async function filesBelow(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((file) => !relative(folder, file).includes('node_modules'));
}
