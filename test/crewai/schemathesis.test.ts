import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa from 'execa';

import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { clientsPython } from './support/deployment';

/** Schemathesis generates requests from the server's own OpenAPI document, and checks the answers against it. */

const SEED = '20260101';
const CHECKS = [
	'not_a_server_error',
	'status_code_conformance',
	'content_type_conformance',
	'response_headers_conformance',
	'response_schema_conformance',
];

let crew: CrewServer;
let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
});
afterEach(async () => {
	await crew.close();
	rmSync(folder, { recursive: true, force: true });
});

async function check(token: string): Promise<{ exitCode: number; all?: string }> {
	const run = ['-m', 'schemathesis.cli', 'run', `${crew.url}/openapi.json`];
	const bounds = ['--seed', SEED, '--max-examples', '20', '--max-time', '30'];
	const phases = ['--phases', 'examples,coverage,fuzzing'];
	const authorization = ['--header', `Authorization: Bearer ${token}`];
	const options = [...bounds, ...phases, '--checks', CHECKS.join(','), ...authorization];
	return await execa(clientsPython, [...run, ...options], {
		reject: false,
		all: true,
		// It writes its findings into its working directory.
		cwd: folder,
		env: { PYTHONDONTWRITEBYTECODE: '1' },
	});
}

it.each(['accessToken', 'userAccessToken'] as const)('finds nothing with the %s', async (token) => {
	// A crew that asks nobody: its streams of events end soon.
	crew = await startCrewServer();
	const { exitCode, all } = await check(crew[token]);
	expect([exitCode, exitCode === 0 ? '' : all]).toEqual([0, '']);
	// It did reach the crew.
	expect(crew.started()).toBeGreaterThan(0);
});

it('finds nothing in the words of a task queue', async () => {
	crew = await startCrewServer({ dialect: 'queue' });
	const { exitCode, all } = await check(crew.accessToken);
	expect([exitCode, exitCode === 0 ? '' : all]).toEqual([0, '']);
});

it('finds something if there is something', async () => {
	crew = await startCrewServer({ faults: ['500@inputs'] });
	const { exitCode, all } = await check(crew.accessToken);
	expect(exitCode).toBe(1);
	expect(all).toContain('GET /inputs');
});
