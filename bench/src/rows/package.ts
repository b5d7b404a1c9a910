import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { ensureN8n } from '../../../sandbox/src/n8n-install';
import { unpack } from '../../../sandbox/src/packed-package';
import { makeScratchFolder, remove } from '../../../sandbox/src/scratch-folder';
import type { Figures } from '../figures';
import { ensureRivals, sizeOf } from '../rivals';
import { measureInTurn, type Bench, type Row } from '../row';

const FIRECRAWL = '@mendable/n8n-nodes-firecrawl';
const EVOLUTION = 'n8n-nodes-evolution-api';
const OURS = 'Crew, both nodes';

/**
 * Loads n8n-workflow, which n8n has loaded before any node and hands to all of them; then the nodes. Prints how many
 * milliseconds these took.
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

/** The files that n8n loads of a package: all its nodes. */
async function nodesOf(folder: string): Promise<string[]> {
	const { n8n } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[] };
	};
	return n8n.nodes.map((file) => join(folder, file));
}

/** Milliseconds that n8n's Node takes to load a package's nodes, in a process of its own each time. */
async function loadTime(folder: string): Promise<number> {
	const { node, folder: n8n } = await ensureN8n();
	const workflow = join(n8n, 'node_modules', 'n8n-workflow');
	const files = await nodesOf(folder);
	const { stdout } = await execa(node, ['-e', SCRIPT, workflow, ...files], {
		env: { NODE_PATH: join(n8n, 'node_modules') },
	});
	return Number(stdout);
}

async function compare(bench: Bench, folders: ReadonlyMap<string, string>) {
	const contenders = [...folders].map(([name, folder]) => ({
		name,
		measure: async () => await loadTime(folder),
	}));
	const loading = await measureInTurn(bench, 'Milliseconds to load', contenders, 5);
	const sizes = new Map<string, number[]>();
	for (const [name, folder] of folders) sizes.set(name, [(await sizeOf(folder)) / 1_000]);
	bench.log(`Kilobytes: ${[...sizes].map(([name, [size = 0]]) => `${name} ${size}`).join(', ')}`);
	const size = (contender: string): Figures => ({ contender, rounds: sizes.get(contender) ?? [] });
	return { loading, size };
}

export const packageSize: Row = {
	name: 'package',
	about: 'time to load the package, and its size',
	run: async (bench) => {
		const installed = await ensureRivals();
		const folder = await makeScratchFolder('unpacked');
		bench.teardown.add(() => remove(folder));
		await unpack(bench.packed, folder);
		const folders = new Map([
			[OURS, folder],
			[FIRECRAWL, join(installed, FIRECRAWL)],
			[EVOLUTION, join(installed, EVOLUTION)],
		]);
		const { loading, size } = await compare(bench, folders);
		const line = (measure: string, unit: string, figuresOf: (contender: string) => Figures) => {
			const rivals = [FIRECRAWL, EVOLUTION].map((name) => ({ ...figuresOf(name), most: 1 }));
			return { measure, unit, ours: figuresOf(OURS), rivals };
		};
		return [line('time to load all nodes', 'ms', loading), line('unpacked size', 'kB', size)];
	},
};
