import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { satisfies } from 'semver';

/** The parts of n8n that have to be compiled for the Node that runs them, and that n8n needs. */
export const NATIVE_PARTS = ['sqlite3', 'isolated-vm'];

/**
 * The Node for an installed n8n: this process's own if it can run n8n and its native parts, otherwise the one that
 * was installed with n8n.
 *
 * @param folder the one with the `node_modules`
 * @throws {Error} if neither works, with the versions that are needed
 */
export async function nodeFor(folder: string): Promise<string> {
	const wanted = await Promise.all(
		['n8n', ...NATIVE_PARTS].map((name) => enginesOf(join(folder, 'node_modules', name))),
	);
	if (wanted.every((range) => satisfies(process.versions.node, range))) return process.execPath;
	const beside = nodeBeside(folder);
	if (beside !== undefined) return beside;
	throw new Error(
		`n8n needs Node ${wanted.join(' and ')}, and none could be installed for ` +
			`${process.platform}-${process.arch}: this is Node ${process.versions.node}, start again with another one`,
	);
}

async function enginesOf(packageFolder: string): Promise<string> {
	const { engines } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
		engines?: { node?: string };
	};
	return engines?.node ?? '*';
}

/** The Node that npm installed with n8n for this platform. */
function nodeBeside(folder: string): string | undefined {
	const { platform, arch } = process;
	const [name, file] =
		platform === 'win32' ? ['win', join('bin', 'node.exe')] : [platform, join('bin', 'node')];
	return [`node-${name}-${arch}`, `node-bin-${name}-${arch}`]
		.map((packageName) => join(folder, 'node_modules', packageName, file))
		.find((candidate) => existsSync(candidate));
}
