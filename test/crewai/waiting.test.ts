import { once } from 'node:events';
import { join } from 'node:path';

import { deployApart, type Apart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python } from './support/deployment';
import { childrenOfHosts, hostsOf, inProc } from './support/processes';
import { startScriptedModel } from './support/scriptedModel';

const COUNT = 100;
const WARM_UP = 5;

it(`lets ${COUNT} executions wait for people without a process, in 10 MB, across a kill, and continues each`, async () => {
	const model = await startScriptedModel();
	const copy = copyProject('workshop', { ...model.env, WORKSHOP_ASKS: 'yes' });
	const dataFolder = join(copy.folder, 'data');
	const options = { crew: copy.folder, project: { python, parallel: 4 }, dataFolder };
	let apart = await deployApart(options);
	let client = new Client(apart.crew);
	const untilStatus = async (id: string, wanted: string) => {
		await until(
			async () => (await client.get(`/${id}/status`)).body['status'] === wanted,
			PATIENCE,
		);
	};
	const ask = async (count: number) => {
		const inputs = { tool: 'nothing' };
		const kickoffs = Array.from({ length: count }, () => client.kickoff({ inputs }));
		const ids = await Promise.all(kickoffs);
		for (const id of ids) await untilStatus(id, 'pending_human_input');
		return ids;
	};

	await ask(WARM_UP);
	const before = await memoryAtRest(apart);
	const ids = await ask(COUNT);
	const waiting = await memoryAtRest(apart);
	expect(megabytes(waiting - before)).toBeLessThan(10);

	await apart.kill();
	apart = await deployApart(options);
	client = new Client(apart.crew);
	for (const id of ids) await untilStatus(id, 'pending_human_input');
	const restarted = await memoryAtRest(apart);
	expect(megabytes(restarted - before)).toBeLessThan(10);
	expect(model.asked).toHaveLength(WARM_UP + COUNT);

	const approvals = ids.map((id) => client.resume(id, { task_id: 'work_task' }));
	const answers = await Promise.all(approvals);
	expect(answers.filter(({ status }) => status === 200)).toHaveLength(COUNT);
	for (const id of ids) await untilStatus(id, 'completed');
	expect(model.asked).toHaveLength(WARM_UP + COUNT);
	console.log(
		`${COUNT} that wait take ${megabytes(waiting - before)} MB, after a restart ${megabytes(restarted - before)}`,
	);
	await apart.kill();
	copy.remove();
	await model.close();
}, 600_000);

/** Bytes that server and host use once only the spare process is left. */
async function memoryAtRest({ child }: Apart): Promise<number> {
	await until(() => childrenOfHosts(child.pid).length === 1, PATIENCE);
	const [host = 0] = hostsOf(child.pid);
	const [, ofHost = ''] = /^Rss: +(\d+) kB$/m.exec(inProc(host, 'smaps_rollup')) ?? [];
	child.send('How much memory is in use?');
	const [ofServer] = (await once(child, 'message')) as [number];
	return ofServer + Number(ofHost) * 1024;
}

const megabytes = (bytes: number) => Math.round((bytes / 1024 ** 2) * 10) / 10;
