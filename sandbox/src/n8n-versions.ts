import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryFolder } from './paths';

/** The versions of n8n that the package is tested with, each a folder of `sandbox/n8n/`; the newest is the sandbox's own. */
export const TESTED_VERSIONS = ['newest', 'half-year', 'oldest'] as const;

export type TestedVersion = (typeof TESTED_VERSIONS)[number];

/** The folder with the `package.json` and `package-lock.json` that install this n8n. */
export function manifestOf(name: TestedVersion): string {
	return join(repositoryFolder, 'sandbox', 'n8n', name);
}

/** The version number in a manifest. */
export async function versionIn(manifest: string): Promise<string> {
	const { dependencies } = JSON.parse(await readFile(join(manifest, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	return dependencies.n8n;
}
