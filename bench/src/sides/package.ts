import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { ensureCached } from '../../../sandbox/src/cached-install';
import { ensureN8n } from '../../../sandbox/src/n8n-install';
import { unpack } from '../../../sandbox/src/packed-package';
import { makeScratchFolder, remove } from '../../../sandbox/src/scratch-folder';
import type { Place, Side } from '../row';
import { median } from '../statistics';

/** Where a package is unpacked or installed. */
type Locate = (place: Place) => Promise<string>;

export interface Package {
	name: string;
	locate: Locate;
}

export const OURS: Package = {
	name: 'Crew, both nodes',
	locate: async ({ packed, teardown }) => {
		const folder = await makeScratchFolder('unpacked');
		teardown.add(() => remove(folder));
		await unpack(packed, folder);
		return folder;
	},
};

export const FIRECRAWL = installed('@mendable/n8n-nodes-firecrawl');
export const EVOLUTION = installed('n8n-nodes-evolution-api');

/** Milliseconds to load all nodes of a package: the median of as many new processes as the row's size. */
export function loading({ name, locate }: Package): Side {
	return {
		name,
		prepare: async (place) => {
			const folder = await locate(place);
			return async () => {
				const times: number[] = [];
				while (times.length < place.size) times.push(await loadTime(folder));
				return median(times);
			};
		},
	};
}

/** Kilobytes of all files in a package, unpacked. */
export function size({ name, locate }: Package): Side {
	return {
		name,
		prepare: async (place) => {
			const folder = await locate(place);
			return async () => (await sizeOf(folder)) / 1_000;
		},
	};
}

/** Another community package, installed into the user's cache folder if it is not there. */
function installed(name: string): Package {
	const manifest = join(__dirname, '..', '..', 'rivals');
	const options = ['--ignore-scripts', '--omit=peer', '--legacy-peer-deps', '--loglevel=error'];
	const install = async (unfinished: string) => {
		await execa('npm', ['ci', ...options], { cwd: unfinished });
	};
	return {
		name,
		locate: async () =>
			join(await ensureCached({ name: 'rivals', manifest, install }), 'node_modules', name),
	};
}

/**
 * Loads n8n-workflow, which n8n has loaded before any node, and then the nodes. Prints how many milliseconds the nodes
 * took.
 */
const SCRIPT = `
	const Module = require('node:module');
	const [workflowFile, ...files] = process.argv.slice(1);
	const workflow = require(workflowFile);
	const load = Module._load;
	Module._load = (name, ...rest) => (name === 'n8n-workflow' ? workflow : load(name, ...rest));
	const began = performance.now();
	for (const file of files) require(file);
	console.log(performance.now() - began);
`;

/** Milliseconds that n8n's Node.js takes to load a package's nodes, in a new process. */
async function loadTime(folder: string): Promise<number> {
	const { node, folder: n8n } = await ensureN8n();
	const modules = join(n8n, 'node_modules');
	const args = ['-e', SCRIPT, join(modules, 'n8n-workflow'), ...(await nodesOf(folder))];
	const { stdout } = await execa(node, args, { env: { NODE_PATH: modules } });
	return Number(stdout);
}

/** The files that n8n loads from a package: all its nodes. */
async function nodesOf(folder: string): Promise<string[]> {
	const { n8n } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[] };
	};
	return n8n.nodes.map((file) => join(folder, file));
}

/** Bytes of all files in a folder, without the packages in it. */
export async function sizeOf(folder: string): Promise<number> {
	let bytes = 0;
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isFile()) bytes += (await stat(path)).size;
		else if (entry.isDirectory() && entry.name !== 'node_modules') bytes += await sizeOf(path);
	}
	return bytes;
}
