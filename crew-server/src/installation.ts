import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';

/** Whether it runs from its sources, in the repository. */
const isSource = extname(__filename) === '.ts';

/** How people start it. */
export const COMMAND = isSource ? 'npm run crew --' : 'crew-server';

/** Where crews keep their data by default: with the sources, or with what else the user's programs keep. */
export const DATA_FOLDER = isSource
	? join(__dirname, '..', '.data')
	: join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'crew-server');

/** The version of the package. */
export function packageVersion(): string {
	const text = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
	return (JSON.parse(text) as { version: string }).version;
}
