import { until } from '../crew-server/support/until';
import { deploy, PATIENCE, type Deployment } from './support/deployment';
import { childrenOfHosts, isAlive, slowProcesses } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let deployment: Deployment;
let release: () => void;

beforeAll(async () => {
	model = await startScriptedModel();
	deployment = await deploy(
		'workshop',
		model,
		{ project: { parallel: 1 }, aspects: { statusBody: 'both' } },
		{ WORKSHOP_ASKS: 'yes', WORKSHOP_PASSWORD: 'not-needed-here' },
	);
});
afterAll(async () => {
	await deployment.close();
	await model.close();
});
beforeEach(() => {
	model.asked.length = 0;
	const released = new Promise<void>((resolve) => (release = resolve));
	// Uses the tool that the task or the person names, if there is one of that name.
	model.script = async ({ messages, tools = [] }) => {
		const [, wanted = ''] = WANTED.exec(String(messages.at(-1)?.content)) ?? [];
		if (wanted === 'patience') await released;
		return tools.some(({ function: one }) => one.name === wanted) ? { tool: wanted } : 'Done';
	};
});

const WANTED = /Work with (\w+) today/;

const kickoff = (tool: string) => deployment.client.kickoff({ inputs: { tool } });

const asked = async (kickoffId: string) => {
	await until(async () => {
		const { body } = await deployment.client.get(`/${kickoffId}/status`);
		return body['status'] === 'pending_human_input';
	}, PATIENCE);
};

const reject = async (kickoffId: string, tool: string) =>
	await deployment.client.resume(kickoffId, {
		task_id: 'work_task',
		human_feedback: `Work with ${tool} today`,
		is_approve: false,
	});

const stop = async (kickoffId: string) => {
	expect((await deployment.client.post(`/stop/${kickoffId}`)).status).toBe(200);
	const { body } = await deployment.client.get(`/${kickoffId}/status`);
	expect(body).toMatchObject({ status: 'stopped' });
	expect(await reject(kickoffId, 'nothing')).toMatchObject({ status: 400 });
};

it('stops an execution that waits for a person, whose tools’ processes have already ended', async () => {
	const kickoffId = await kickoff('starts');
	const [child = 0, , ...others] = await slowProcesses(deployment.folder);
	await asked(kickoffId);
	await until(() => ![child, ...others].some(isAlive), PATIENCE);
	await until(() => childrenOfHosts().length === 1, PATIENCE);
	await stop(kickoffId);
	expect(model.asked).toHaveLength(2);
});

it('stops an execution that continues after a question, with everything that its tools have started', async () => {
	const kickoffId = await kickoff('nothing');
	await asked(kickoffId);
	await reject(kickoffId, 'slow');
	const [child = 0, , ...others] = await slowProcesses(deployment.folder);
	expect([child, ...others].map(isAlive)).toEqual([true, true, true]);
	await stop(kickoffId);
	await until(() => ![child, ...others].some(isAlive), PATIENCE);
	expect(model.asked).toHaveLength(2);
});

it('runs resumed executions before new ones, and stops one that waits for its turn', async () => {
	const [resumed, stopped] = [await kickoff('oak'), await kickoff('pine')];
	await asked(resumed);
	await asked(stopped);
	const working = await kickoff('patience');
	await until(() => model.asked.length === 3, PATIENCE);
	const later = await kickoff('elm');
	await reject(stopped, 'more_pine');
	await reject(resumed, 'more_oak');
	const { client } = deployment;
	for (const id of [later, stopped, resumed]) {
		expect((await client.get(`/${id}/status`)).body).toMatchObject({ state: 'PENDING' });
	}
	await stop(stopped);
	release();
	for (const id of [working, resumed, later]) await asked(id);
	const told = model.asked.map(
		({ messages }) => WANTED.exec(String(messages.at(-1)?.content))?.[1],
	);
	expect(told).toEqual(['oak', 'pine', 'patience', 'more_oak', 'elm']);
});
