import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { repositoryFolder } from '../../../sandbox/src/paths';

/** Builds what the page's routes send to browsers. */
export function buildPage(): void {
	execFileSync(process.execPath, [join(repositoryFolder, 'crew-server', 'buildPage.cjs')]);
}
