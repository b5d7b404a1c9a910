import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa from 'execa';

import { packCrewServer } from './packed-package';

/** The crew server as people install it, in a separate folder outside the repository. */
export interface InstalledCrewServer {
	folder: string;
	/** The command. */
	program: string[];
	/** Bytes of the tarball. */
	size: number;
	/** Paths inside the package. */
	files: string[];
	/** How many packages were installed with it. */
	dependencies: number;
	remove: () => void;
}

/** Packs the crew server, and installs the tarball into an empty folder with npm. */
export async function installCrewServer(): Promise<InstalledCrewServer> {
	const packed = await packCrewServer();
	const folder = mkdtempSync(join(tmpdir(), 'crew-server-'));
	const options = ['--no-audit', '--no-fund', '--loglevel=error'];
	await execa('npm', ['install', ...options, packed.tarball], { cwd: folder });
	await packed.remove();
	const modules = join(folder, 'node_modules');
	const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
		packages: object;
	};
	return {
		folder,
		program: [join(modules, '.bin', 'crew-server')],
		size: packed.size,
		files: packed.files,
		dependencies: Object.keys(packages).length - 1,
		remove: () => {
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
