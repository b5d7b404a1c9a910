import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Place } from '../row';

/** An empty folder, which is removed at the end of the row. */
export async function temporaryFolder({ teardown }: Place): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'bench-'));
	teardown.add(() => rm(folder, { recursive: true }));
	return folder;
}
