import { execFileSync } from 'node:child_process';

import { until } from '../crew-server/support/until';
import { deploy, PATIENCE, python, type Deployment } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let deployment: Deployment;

/** The model answers by the description of the task; the outer crew first uses a tool. */
beforeAll(async () => {
	model = await startScriptedModel(({ messages }) => {
		const said = JSON.stringify(messages);
		const results = messages.filter(({ role }) => role === 'tool');
		const [, how] = /Lead by (\w+)/.exec(said) ?? [];
		const [, what = ''] = /Do (\w+)/.exec(said) ?? [];
		if (results.length > 0) return `After ${String(results[0]?.content)}`;
		if (said.includes('How long is the board?')) return { tool: 'measure' };
		if (how !== undefined) return { tool: 'start_crews', arguments: { how } };
		if (what === 'nested') return { tool: 'start_one' };
		if (what === 'functions') return { tool: 'tally' };
		return said.includes('Better') ? `a better ${what}` : `the ${what}`;
	});
});
afterAll(() => model.close());
afterEach(() => deployment.close());
beforeEach(() => {
	model.asked.length = 0;
});

/** What is told of an execution up to its end. */
async function toldOf(kickoffId: string) {
	const ended = await deployment.ended(kickoffId);
	const callbacks = (await deployment.crew.callbacks()).filter(
		(one) => one.kickoffId === kickoffId,
	);
	const bodies = (end: string) =>
		callbacks.filter(({ url }) => url.endsWith(end)).map(({ body }) => body as Body);
	const execution = (await deployment.crew.executions()).at(-1);
	return {
		ended,
		steps: bodies('/step').map(({ prompt, result, tool }) => ({ prompt, result, tool })),
		events: bodies('/events').flatMap(({ events }) => events ?? []),
		tokens: execution?.tokenUsage.total_tokens,
	};
}

interface Body {
	prompt?: string;
	result?: string;
	tool?: string;
	events?: Array<{ type: string; data: Record<string, unknown> }>;
}

const kickOff = async (
	inputs: Record<string, unknown>,
	events: string[] = ['tool_usage_finished'],
) =>
	await deployment.client.kickoff({
		inputs,
		// Nobody listens there: what would be sent is enough.
		stepWebhookUrl: 'http://127.0.0.1:9/step',
		webhooks: { url: 'http://127.0.0.1:9/events', events },
	});

it.each([
	['threads', 4, ['left', 'right']],
	['gather', 4, ['left', 'right']],
	['nested', 5, ['nested', 'deepest']],
])('reports what crews do that a tool has started: %s', async (how, calls, names) => {
	deployment = await deploy('crowd', model);
	const kickoffId = await kickOff({ how }, ['agent_execution_started']);
	const { ended, steps, events, tokens } = await toldOf(kickoffId);
	expect(ended).toMatchObject({ status: 'completed' });
	expect(model.asked).toHaveLength(calls);
	expect(tokens).toBe(15 * calls);
	for (const name of names) {
		const own = steps.filter(({ prompt }) => prompt?.includes(`Do ${name}`));
		expect(own.at(-1)?.result).toBe(name === 'nested' ? 'After the deepest' : `the ${name}`);
	}
	expect(steps.filter(({ prompt }) => prompt?.includes(`Lead by ${how}`))).toHaveLength(2);
	const roles = events.map(({ data }) => [data['agent_role'], data['task_id']]).sort();
	const expected = ['Head', ...names.map((name) => `${name} worker`)].map((role) => [role, 'lead']);
	expect(roles).toEqual(expected.sort());
});

it.each([
	['functions', 'After three', 3],
	['own', 'After my own', 2],
])('counts the tokens of calls whose events lack them: %s', async (how, output, calls) => {
	deployment = await deploy('crowd', model);
	const { ended, tokens } = await toldOf(await kickOff({ how }));
	expect(ended).toMatchObject({ status: 'completed', result: { output } });
	expect(model.asked).toHaveLength(calls);
	expect(tokens).toBe(45);
});

it('asks about the output of a crew that a tool has started', async () => {
	deployment = await deploy('crowd', model);
	const { client } = deployment;
	const kickoffId = await kickOff({ how: 'asks' });
	const asked = async (output: string) =>
		await until(async () => {
			const { body } = await client.get(`/${kickoffId}/status`);
			return JSON.stringify(body).includes(output) && body['status'] === 'pending_human_input';
		}, PATIENCE);
	const answer = { execution_id: kickoffId, task_id: 'lead' };
	await asked('the asking');
	await client.post('/resume', { ...answer, human_feedback: 'Better', is_approve: false });
	await asked('a better asking');
	await client.post('/resume', { ...answer, human_feedback: '', is_approve: true });
	expect(await deployment.ended(kickoffId)).toMatchObject({
		status: 'completed',
		result: { output: 'After a better asking' },
	});
	// The outer crew twice, the inner crew twice.
	expect(model.asked).toHaveLength(4);
});

it('does not mistake reports of a process that the project has forked for its own', async () => {
	deployment = await deploy('crowd', model);
	const { ended, tokens } = await toldOf(await kickOff({ how: 'forks' }));
	expect(ended).toMatchObject({
		status: 'completed',
		result: { output: expect.stringContaining('After ended with') as string },
	});
	// The third call is that process's own.
	expect([model.asked.length, tokens]).toEqual([3, 30]);
});

it('reports the events of a flow and of an agent without a task, with its steps', async () => {
	deployment = await deploy('solo_flow', model);
	const kickoffId = await kickOff({}, [
		'flow_started',
		'flow_finished',
		'method_execution_started',
		'method_execution_finished',
		'lite_agent_execution_started',
		'lite_agent_execution_completed',
	]);
	const { ended, steps, events } = await toldOf(kickoffId);
	expect(ended).toMatchObject({ status: 'completed', result: { output: 'AFTER SEVEN INCHES' } });
	expect(events.map(({ type, data }) => [type, data['method_name'] ?? data['agent_role']])).toEqual(
		[
			['flow_started', undefined],
			['method_execution_started', 'ask'],
			['lite_agent_execution_started', 'Carpenter'],
			['lite_agent_execution_completed', 'Carpenter'],
			['method_execution_finished', 'ask'],
			['method_execution_started', 'end'],
			['method_execution_finished', 'end'],
			['flow_finished', undefined],
		],
	);
	expect(steps).toEqual([
		{ prompt: 'How long is the board?', tool: 'measure', result: 'seven inches' },
		{ prompt: 'How long is the board?', result: 'After seven inches' },
	]);
});

it('reports that a flow has failed, and why, if CrewAI does', async () => {
	deployment = await deploy('talk_flow', model, { project: { crewName: 'Talk' } });
	const told = ['flow_started', 'method_execution_failed', 'flow_failed'];
	const { ended, events } = await toldOf(await kickOff({ said: 'silence' }, told));
	expect(ended).toMatchObject({ status: 'error' });
	const error = 'ValueError: There is nothing to hear';
	const names = { flow_name: 'Talk' };
	expect(events.map(({ type, data }) => [type, data])).toEqual([
		['flow_started', expect.objectContaining(names)],
		['method_execution_failed', expect.objectContaining({ ...names, method_name: 'hear', error })],
		...(hasEvent('FlowFailedEvent')
			? [['flow_failed', expect.objectContaining({ ...names, error })]]
			: []),
	]);
});

/** Whether the installed CrewAI has an event of this class. */
function hasEvent(name: string): boolean {
	const code = `import crewai.events.types.flow_events as one; print(hasattr(one, '${name}'))`;
	return execFileSync(python, ['-c', code], { encoding: 'utf8' }).trim() === 'True';
}
