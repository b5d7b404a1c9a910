import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { join, relative } from 'node:path';

/** The files that a project consists of, not those that its tasks write. */
const SOURCE =
	/\.(py|ya?ml|jsonc|toml)$|^crew\.json$|^(uv|poetry|pdm)\.lock$|^requirements[\w.-]*\.txt$/;
/** Folders of tools and of results. */
const LEFT_OUT = /^\.|^(__pycache__|node_modules|build|dist|data|outputs?|storage)$|\.egg-info$/;

/** Characters that are enough to tell two versions apart. */
const LENGTH = 16;

/**
 * A version of a project: the same for the same sources, no matter in which folder of which machine.
 *
 * @param parts what else makes a difference
 */
export function fingerprintOf(folder: string, ...parts: ReadonlyArray<string | undefined>): string {
	const hash = createHash('sha256').update(JSON.stringify(parts));
	for (const file of sourcesIn(folder).sort()) {
		const content = readFileSync(join(folder, file));
		hash.update(`\0${file}\0${content.length}\0`).update(content);
	}
	return hash.digest('hex').slice(0, LENGTH);
}

/** Their paths in the folder, with slashes on all systems. */
function sourcesIn(folder: string, root = folder): string[] {
	const entries = readdirSync(folder, { withFileTypes: true });
	return entries.flatMap((entry) => {
		const path = join(folder, entry.name);
		if (SOURCE.test(entry.name) && isFile(entry, path)) {
			return [relative(root, path).replaceAll('\\', '/')];
		}
		const isLeftOut = LEFT_OUT.test(entry.name) || existsSync(join(path, 'pyvenv.cfg'));
		return entry.isDirectory() && !isLeftOut ? sourcesIn(path, root) : [];
	});
}

/** In a volume of Kubernetes, files are links. A link may also lead nowhere. */
function isFile(entry: Dirent, path: string): boolean {
	if (!entry.isSymbolicLink()) return entry.isFile();
	return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
