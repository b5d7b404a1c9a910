import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

const sources = join(__dirname, '..', 'nodes');

/** The name under which n8n knows the bench's own nodes. */
const BENCH_PACKAGE = 'n8n-nodes-bench';

/**
 * Compiles the bench's own nodes and puts them among those that n8n has installed.
 *
 * @param home n8n's `N8N_USER_FOLDER`
 */
export async function installBenchNodes(home: string): Promise<void> {
	const folder = join(home, '.n8n', 'nodes', 'node_modules', BENCH_PACKAGE);
	await mkdir(folder, { recursive: true });
	const compiled: string[] = [];
	for (const file of await readdir(sources)) {
		const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 };
		const { outputText } = transpileModule(await readFile(join(sources, file), 'utf8'), {
			compilerOptions,
		});
		compiled.push(`${basename(file, '.ts')}.js`);
		await writeFile(join(folder, compiled.at(-1) ?? ''), outputText);
	}
	const manifest = { name: BENCH_PACKAGE, version: '0.0.0', n8n: { nodes: compiled } };
	await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
}
