import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { deployApart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python } from './support/deployment';
import { hostsOf } from './support/processes';
import { pauseOrEnd } from './support/questions';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** What the flow does before its crew, in order except for the two that run at the same time. */
const DONE = ['begin', 'book Graz', 'pack for Graz', 'leave'];
const ROUNDS = ['look 1', 'see 1', 'look 2', 'see 2', 'look 3'];

let model: ScriptedModel;
beforeAll(async () => {
	model = await startScriptedModel();
});
afterAll(() => model.close());

it.each(['server', 'host'])(
	'a flow whose %s is killed continues after what had ended: joins, a loop, tasks of an inner crew',
	async (what) => {
		const copy = copyProject('voyage', model.env);
		const options = {
			crew: copy.folder,
			project: { python },
			dataFolder: join(copy.folder, 'data'),
		};
		const log = () => readFileSync(join(copy.folder, 'log.txt'), 'utf8').trim().split('\n');
		const saying = () => {
			const said = JSON.stringify(model.asked.at(-1)?.messages);
			return `did ${/(outline|write|print) what was seen/.exec(said)?.[1] ?? 'nothing'}`;
		};
		model.asked.length = 0;
		// The second task of the inner crew does not end.
		model.script = () => (model.asked.length === 2 ? undefined : saying());
		let apart = await deployApart(options);
		const kickoffId = await new Client(apart.crew).kickoff({ inputs: {} });
		await until(() => model.asked.length === 2, PATIENCE);
		model.script = saying;
		if (what === 'server') {
			await apart.kill();
			apart = await deployApart(options);
		} else for (const pid of hostsOf(apart.child.pid)) process.kill(pid, 'SIGKILL');

		expect(await pauseOrEnd(new Client(apart.crew), kickoffId)).toMatchObject({
			status: 'completed',
			result: { output: 'did print, 3 rounds, sight 1, sight 2' },
		});
		expect([...log().slice(0, 4).sort(), ...log().slice(4)]).toEqual([
			...[...DONE].sort(),
			...ROUNDS,
			'end',
		]);
		// Of the inner crew, only the second task starts again.
		expect(model.asked).toHaveLength(4);
		await apart.kill();
		copy.remove();
	},
);
