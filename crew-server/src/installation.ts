import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';

/** The package's folder, the same for the sources and for the build: each is in a folder of it. */
export const PACKAGE = join(__dirname, '..');

/** Whether it runs from its sources, in the repository. */
const isSource = extname(__filename) === '.ts';

/** How people start it. */
export const COMMAND = isSource ? 'npm run crew --' : 'crew-server';

/** Where crews keep their data by default: next to the sources, or with the data of the user's other programs. */
export const DATA_FOLDER = isSource
	? join(PACKAGE, '.data')
	: join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'crew-server');

/** The version of the package. */
export function packageVersion(): string {
	const text = readFileSync(join(PACKAGE, 'package.json'), 'utf8');
	return (JSON.parse(text) as { version: string }).version;
}
