import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { PollerMemory } from '../../support/pollerMemory';

const script = join(__dirname, '..', '..', 'support', 'pollerMemory.ts');
let memory: PollerMemory;

beforeAll(async () => {
	const measuring = fork(script, [], { execArgv: ['--expose-gc', '--import', 'tsx'] });
	[memory] = (await Promise.race([
		once(measuring, 'message'),
		once(measuring, 'exit').then(([code]) => {
			throw new Error(`The measuring process ended with ${code as number} and said nothing`);
		}),
	])) as [PollerMemory];
});

it('keeps the data of one run for all waits for one crew, and none after the last', () => {
	expect(memory).toMatchObject({ runsOfHundredWaits: 1, runsAfterTheLast: 0 });
});

it('keeps no more than 5 kB for each further wait', () => {
	expect(memory.bytesPerFurtherWait).toBeLessThan(5_000);
});
