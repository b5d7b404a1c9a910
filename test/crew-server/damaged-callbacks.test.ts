import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { Sqlite } from '../../crew-server/src/store/sqlite';
import { Client } from './support/client';
import { textLike } from './support/matchers';
import { startReceiver } from './support/receiver';
import { until } from './support/until';

it('callbacks whose data is damaged are given up, and all others are sent', async () => {
	const dataFolder = mkdtempSync(join(tmpdir(), 'crew-data-'));
	const gone = await startReceiver();
	await gone.close();
	const before = await startCrewServer({ dataFolder, delivery: { retryDelay: 60_000 } });
	for (const path of ['body', 'attempts', 'whole']) {
		await new Client(before).kickoff({ crewWebhookUrl: `${gone.url}/${path}` });
	}
	const tried = async () => (await before.callbacks()).filter((one) => one.attempts.length > 0);
	await until(async () => (await tried()).length === 3);
	await before.close();
	const database = new Sqlite(join(dataFolder, 'executions.db'));
	database.execute(
		`UPDATE callbacks SET next_at = 0;
		UPDATE callbacks SET body = '{"number' WHERE url LIKE '%/body';
		UPDATE callbacks SET attempts = '[{' WHERE url LIKE '%/attempts'`,
	);
	database.close();

	const receiver = await startReceiver(() => 200, Number(new URL(gone.url).port));
	const after = await startCrewServer({ dataFolder });
	const fates = async () => {
		const all = await after.callbacks();
		return all.map(({ url, fate }) => `${new URL(url).pathname} ${fate}`).sort();
	};
	const expected = ['/attempts delivered', '/body given_up', '/whole delivered'];
	await until(async () => (await fates()).join() === expected.join());
	expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/attempts', '/whole']);
	const [damaged] = (await after.callbacks()).filter(({ fate }) => fate === 'given_up');
	expect(damaged?.body).toEqual({ bytes: 8 });
	expect(damaged?.attempts.at(-1)?.problem).toEqual(textLike(/^its data is damaged: /));
	await after.close();
	await receiver.close();
	rmSync(dataFolder, { recursive: true });
});
