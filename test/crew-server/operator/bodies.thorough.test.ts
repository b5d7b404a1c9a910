import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { folders, operate, TOKEN, withPreload } from './support/operated';
import { randomBodies } from './support/randomBodies';

/** Random bodies: the same set each time, or another one with another seed. */

const CASES = Number(process.env['BODY_CASES'] ?? 60);
const SEED = Number(process.env['BODY_SEED'] ?? 1);

/** Milliseconds of processor time in one piece, a bit less than the 250 within which others get their answers. */
const MOST_IN_ONE_PIECE = 200;
/** Milliseconds within which everything that a body has started ends. */
const AFTERWARDS = 500;

jest.setTimeout(900_000);

it(`blocks others for at most ${MOST_IN_ONE_PIECE} ms with any body`, async () => {
	process.stderr.write(`BODY_CASES=${CASES} BODY_SEED=${SEED} repeats these bodies.\n`);
	const pieces = join(folders.make(), 'pieces');
	const { url, client } = await operate(
		['research', '--data', folders.make()],
		withPreload({ pieces }),
	);
	const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
	const first = await client.kickoff();
	await client.untilStatus(first, 'completed');
	const property = fc.asyncProperty(randomBodies(first), async ({ recipe, path, body }) => {
		writeFileSync(pieces, '');
		const ids: string[] = [];
		for (let sent = 0; sent < 2; sent++) {
			const answer = await fetch(url + path, { method: 'POST', headers, body: body() });
			const told = (await answer.json()) as Record<string, unknown>;
			expect([recipe, answer.status]).toEqual([
				recipe,
				answer.status < 500 ? answer.status : 'less',
			]);
			if (typeof told['kickoff_id'] === 'string') ids.push(told['kickoff_id']);
		}
		for (const id of ids) {
			for (const read of [`/status/${id}`, `/page/execution?id=${id}`, '/page/executions?text=x']) {
				const shown = await fetch(url + read, { headers });
				await shown.text();
				expect(shown.status).toBe(200);
			}
		}
		await sleep(AFTERWARDS);
		const longest = Math.max(0, ...readFileSync(pieces, 'utf8').split('\n').map(Number));
		expect([recipe, longest]).toEqual([recipe, Math.min(longest, MOST_IN_ONE_PIECE)]);
	});
	await fc.assert(property, { numRuns: CASES, seed: SEED, endOnFailure: true });
});
