import {
	chmodSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { Client } from './support/client';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'crew-tokens-'));
});
afterEach(() => {
	rmSync(folder, { recursive: true });
});

it.each(['', ' ', 'seven77', 'two words', 'tökén-tökén'])('refuses the token %j', async (token) => {
	const message = 'A token needs at least 8 characters, and only letters, digits and signs';
	await expect(startCrewServer({ accessToken: token })).rejects.toThrow(message);
	await expect(startCrewServer({ userAccessToken: token })).rejects.toThrow(message);
});

it('does not rewrite the file with the tokens if they stay the same', async () => {
	const file = join(folder, 'tokens.json');
	const start = async (options: { accessToken?: string } = {}) => {
		const crew = await startCrewServer({ dataFolder: folder, ...options });
		expect((await new Client(crew).get('/inputs')).status).toBe(200);
		await crew.close();
		return crew.accessToken;
	};
	const token = await start();
	// On a full disk, rewriting would leave it empty.
	utimesSync(file, 0, 0);
	expect(await start()).toBe(token);
	expect(statSync(file).mtimeMs).toBe(0);
	await start({ accessToken: 'another-token' });
	expect(readFileSync(file, 'utf8')).toContain('another-token');
});

it("withholds its tokens from the project's Python, but no variable that only contains a short one", async () => {
	const python = join(folder, 'python');
	writeFileSync(join(folder, 'crew.py'), '');
	writeFileSync(python, `#!/bin/sh\nenv > '${folder}/env'\n`);
	chmodSync(python, 0o700);
	const accessToken = 'dev-mode';
	const userAccessToken = 'a-token-that-is-long-enough';
	Object.assign(process.env, {
		TEST_MODEL: 'model-for-dev-mode',
		TEST_SHORT: accessToken,
		TEST_LONG: `Bearer ${userAccessToken}`,
	});
	const options = { crew: folder, project: { python }, accessToken, userAccessToken };
	await expect(startCrewServer(options)).rejects.toThrow('cannot be imported');
	const env = readFileSync(join(folder, 'env'), 'utf8');
	expect(env).toContain('TEST_MODEL=model-for-dev-mode');
	expect(env).not.toMatch(/TEST_(SHORT|LONG)/);
});
