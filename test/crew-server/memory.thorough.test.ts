import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { CrewDefinition, CrewServerOptions } from '../../crew-server/src';
import { openStore } from '../../crew-server/src/store/openStore';
import { complete, kickOff } from './store/support/orders';
import { deployApart, type Apart } from './support/apart';
import { Client } from './support/client';

/** Large texts, in a process with less memory than all of them would take. */

const LARGE = 'x'.repeat(2 * 1024 ** 2);
const HOW_MANY = 100;
const LITTLE_MEMORY = { NODE_OPTIONS: '--max-old-space-size=150' };

const crewOf = (output: string): CrewDefinition => ({
	name: 'quick',
	inputs: [],
	tasks: [
		{ name: 'one', description: 'Work', expectedOutput: 'A text', agent: 'A', output, duration: 0 },
	],
});

jest.setTimeout(240_000);

let apart: Apart | undefined;
let dataFolder: string;
beforeEach(() => {
	dataFolder = mkdtempSync(join(tmpdir(), 'crew-memory-'));
});
afterEach(async () => {
	await apart?.kill();
	rmSync(dataFolder, { recursive: true });
});

async function deploy(options: CrewServerOptions): Promise<Client> {
	apart = await deployApart({ dataFolder, ...options }, LITTLE_MEMORY);
	return new Client(apart.crew);
}

it('remembers requests without all of their large answers', async () => {
	const client = await deploy({ crew: crewOf('short'), faults: ['output=2MB'] });
	const id = await client.kickoff();
	await client.untilStatus(id, 'completed');
	for (let count = 0; count < HOW_MANY; count++) await client.get(`/${id}/status`);
	expect((await client.get('/inputs')).status).toBe(200);
});

it('caches only some executions if their inputs are large', async () => {
	const client = await deploy({ crew: crewOf('short') });
	const ids: string[] = [];
	for (let count = 0; count < HOW_MANY; count++) {
		const id = await client.kickoff({ meta: { text: LARGE } });
		await client.untilStatus(id, 'completed');
		ids.push(id);
	}
	expect((await client.get(`/${ids[0]!}/status`)).body).toMatchObject({ status: 'completed' });
});

it('starts with more ended executions in its folder than fit into its memory', async () => {
	const store = await openStore({ folder: dataFolder });
	const ids: string[] = [];
	for (let count = 0; count < HOW_MANY; count++) {
		const { execution } = await complete(store, await kickOff(store), LARGE);
		ids.push(execution.kickoffId);
	}
	await store.close();
	const client = await deploy({ crew: crewOf('short') });
	for (const id of [ids[0]!, ids.at(-1)!]) {
		expect((await client.get(`/${id}/status`)).body).toMatchObject({ status: 'completed' });
	}
});
