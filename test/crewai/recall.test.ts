import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../crew-server/support/until';
import { deploy, PATIENCE, type Deployment } from './support/deployment';
import { startScriptedModel, type ChatRequest, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let deployment: Deployment;

beforeAll(async () => {
	model = await startScriptedModel();
	deployment = await deploy('library', model);
});
afterAll(async () => {
	await deployment.close();
	await model.close();
});

const STRUCTURES: Record<string, unknown> = {
	PlannerTaskPydanticOutput: {
		list_of_plans_per_task: [1, 2, 3].map((number) => ({
			task_number: number,
			task: 'A task',
			plan: ` Plan ${number}.`,
		})),
	},
	ExtractedMemories: { memories: ['Maps are useful'] },
};

const nameOf = ({ response_format }: ChatRequest) => response_format?.json_schema?.name;
const textOf = ({ messages }: ChatRequest) => JSON.stringify(messages);

it('keeps the plan, the saved memories and the recalled ones across questions', async () => {
	model.structure = async (name) => {
		// What is to be remembered is still being written when the next task asks.
		if (name === 'MemoryAnalysis') await sleep(2_000);
		return STRUCTURES[name];
	};
	const { client } = deployment;
	const kickoffId = await client.kickoff({ inputs: {} });
	const question = async (taskId: string) =>
		await until(async () => {
			const { body } = await client.get(`/${kickoffId}/status`);
			if (body['status'] === 'error') throw new Error(String(body['error']));
			return body['status'] === 'pending_human_input' && body['task_id'] === taskId && body;
		}, PATIENCE);
	const answer = async (taskId: string, isApprove: boolean) => {
		await question(taskId);
		await client.resume(kickoffId, {
			task_id: taskId,
			human_feedback: isApprove ? '' : 'Once more',
			is_approve: isApprove,
		});
	};
	await answer('check_task', true);
	await question('tell_task');

	// In another process than that which has planned, and read about maps.
	const told = textOf(model.asked.at(-1)!);
	expect(told).toContain('Plan 3.');
	expect(told).toContain('Maps are useful');
	expect(told).toContain('Maps are on the third shelf.');
	const queries = () => ({
		knowledge: model.asked.filter((one) => textOf(one).includes('The original query is')).length,
		memory: model.embedded.filter((text) => text.startsWith('Tell where maps are.')).length,
	});
	const before = queries();
	expect(before.memory).toBeGreaterThan(0);
	const asked = model.asked.length;
	await answer('tell_task', false);
	await until(() => model.asked.length > asked, PATIENCE);
	await question('tell_task');
	expect(model.asked).toHaveLength(asked + 1);
	expect(textOf(model.asked.at(-1)!)).toContain(told.slice(1, -1));
	expect(queries()).toEqual(before);

	await answer('tell_task', true);
	expect(await deployment.ended(kickoffId)).toMatchObject({ status: 'completed' });
	expect(queries()).toEqual(before);
	expect(model.asked.filter((one) => nameOf(one) === 'PlannerTaskPydanticOutput')).toHaveLength(1);
});
