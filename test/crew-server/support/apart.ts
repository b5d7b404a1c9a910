import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { CrewServer, CrewServerOptions } from '../../../crew-server/src';
import { bundled } from './bundled';

let script: string | undefined;

const root = join(__dirname, '..', '..', '..');

/** A deployment in a separate process. */
export interface Apart {
	child: ChildProcess;
	crew: Pick<CrewServer, 'url' | 'accessToken' | 'userAccessToken'>;
	/** `kill -9`; waits until the process is gone. */
	kill(): Promise<void>;
}

/**
 * Deploys in a separate process, see deploy.ts.
 *
 * @throws if the process ends before it has reported its address
 */
export async function deployApart(
	options: CrewServerOptions,
	env: Record<string, string> = {},
): Promise<Apart> {
	script ??= bundled(join(__dirname, 'deploy.ts'));
	const child = spawn(process.execPath, ['--expose-gc', script, JSON.stringify(options)], {
		cwd: root,
		env: { ...process.env, ...env },
		stdio: ['ignore', 'pipe', 2, 'ipc'],
	});
	const gone = once(child, 'exit');
	const [said] = (await Promise.race([
		once(child.stdout!, 'data'),
		gone.then(([code]) => {
			throw new Error(`The deployment ended while it started, with ${code as number}`);
		}),
	])) as [Buffer];
	return {
		child,
		crew: JSON.parse(said.toString()) as Apart['crew'],
		kill: async () => {
			child.kill('SIGKILL');
			await gone;
		},
	};
}
