import { until } from '../crew-server/support/until';
import { deploy, PATIENCE, type Deployment } from './support/deployment';
import { isAlive, slowProcesses } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

const PASSWORD = 'plane-and-chisel-42';

let model: ScriptedModel;
let deployment: Deployment;

beforeAll(async () => {
	// The model uses the tool that its task names, and then repeats its result.
	model = await startScriptedModel(({ messages }) => {
		const results = messages.filter(({ role }) => role === 'tool');
		if (results.length > 0) return `It said: ${String(results.at(-1)?.content)}`;
		const [, tool = ''] = /Work with (\w+) today/.exec(JSON.stringify(messages)) ?? [];
		return { tool, arguments: tool === 'measure' ? { what: 'The board' } : {} };
	});
	process.env['COPIED_TOKEN'] = 'token-of-the-organisation';
	process.env['WORKSHOP_DOOR'] = 'as the shell says';
	deployment = await deploy(
		'workshop',
		model,
		{ accessToken: 'token-of-the-organisation', project: { limit: 0.5 } },
		{
			WORKSHOP_PASSWORD: PASSWORD,
			WORKSHOP_DOOR: 'as the file says',
			CREWAI_STORAGE_DIR: '/elsewhere',
			CREWAI_TESTING: 'false',
		},
	);
});
afterAll(async () => {
	await deployment.close();
	await model.close();
});

const newest = async () => (await deployment.crew.executions()).at(-1);

it('uses tools and reports each use as a step, without streaming the output', async () => {
	const ended = await deployment.run({ tool: 'measure' });
	expect(ended).toMatchObject({
		status: 'completed',
		result: { output: 'It said: The board is 7 inches long' },
	});
});

it('reports the use of a tool as a step, with its input and output', async () => {
	const { client, crew } = deployment;
	// Nobody listens there: what would be sent is enough.
	const stepWebhookUrl = 'http://127.0.0.1:9/step';
	const kickoffId = await client.kickoff({ inputs: { tool: 'measure' }, stepWebhookUrl });
	await deployment.ended(kickoffId);
	const steps = (await crew.callbacks()).filter((one) => one.kickoffId === kickoffId);
	expect(steps.map(({ body }) => body)).toMatchObject([
		{
			prompt: expect.stringContaining('Work with measure today') as string,
			tool: 'measure',
			tool_input: '{"what": "The board"}',
			result: 'The board is 7 inches long',
		},
		{ result: 'It said: The board is 7 inches long' },
	]);
	expect(steps[1]?.body).not.toHaveProperty('tool');
	expect((await newest())?.tokenUsage.total_tokens).toBe(30);
});

it('continues after a tool that fails', async () => {
	const ended = await deployment.run({ tool: 'broken' });
	const { output } = ended['result'] as { output: string };
	// A result is never changed.
	expect(output).toContain(`The saw is broken, says ${PASSWORD}`);
});

it('is not disturbed by a tool that prints ten megabytes', async () => {
	expect(await deployment.run({ tool: 'chatty' })).toMatchObject({
		status: 'completed',
		result: { output: 'It said: printed' },
	});
});

it('has nobody at the terminal', async () => {
	const { client, crew } = deployment;
	const stepWebhookUrl = 'http://127.0.0.1:9/step';
	const kickoffId = await client.kickoff({ inputs: { tool: 'asks' }, stepWebhookUrl });
	const { result } = await deployment.ended(kickoffId);
	expect((result as { output: string }).output).toContain('EOF when reading a line');
	const [step] = (await crew.callbacks()).filter((one) => one.kickoffId === kickoffId);
	expect(step?.body).toMatchObject({
		result: expect.stringMatching(/^EOFError: It waits for an answer .* human_input of/) as string,
	});
});

it('says so when the project calls sys.exit', async () => {
	expect(await deployment.run({ tool: 'leaves' })).toMatchObject({
		status: 'error',
		error: expect.stringContaining('sys.exit(4)') as string,
	});
});

it('reports how a process has ended by itself, with its last lines and without secrets', async () => {
	const { status, error } = await deployment.run({ tool: 'dies' });
	expect(status).toBe('error');
	expect(error).toContain('ended by itself with exit code 7');
	expect(error).toContain('last words, with [secret]');
	expect(await deployment.run({ tool: 'killed' })).toMatchObject({
		status: 'error',
		error: expect.stringContaining('by SIGKILL; perhaps the machine ran out of memory') as string,
	});
});

it("lets the project's .env win over the shell, and the server over both", async () => {
	const { result } = await deployment.run({ tool: 'environment' });
	const { output } = result as { output: string };
	expect(output).toContain('WORKSHOP_DOOR=as the file says');
	expect(output).toContain('CREWAI_TESTING=true');
	expect(output).not.toContain('/elsewhere');
});

it("does not pass the server's tokens to the project", async () => {
	const { result } = await deployment.run({ tool: 'environment' });
	const { output } = result as { output: string };
	expect(output).toContain(`WORKSHOP_PASSWORD=${PASSWORD}`);
	expect(output).not.toContain('token-of-the-organisation');
});

it('ends all processes of an execution that is stopped', async () => {
	const { client, folder } = deployment;
	const kickoffId = await client.kickoff({ inputs: { tool: 'slow' } });
	const [child = 0, , stubborn = 0, orphan = 0] = await slowProcesses(folder);
	const all = () => [child, stubborn, orphan].map(isAlive);
	expect(all()).toEqual([true, true, true]);
	const began = Date.now();
	expect((await client.post(`/stop/${kickoffId}`)).status).toBe(200);
	expect(await deployment.ended(kickoffId)).toMatchObject({ status: 'stopped' });
	await until(() => !all().includes(true), PATIENCE);
	// They have two seconds, which only the stubborn one uses.
	expect(Date.now() - began).toBeGreaterThan(1_900);
});

it('ends what an execution has left behind, even in a separate session', async () => {
	const { client, folder } = deployment;
	await client.kickoff({ inputs: { tool: 'slow' } });
	const [child = 0, host = 0, stubborn = 0, orphan = 0] = await slowProcesses(folder);
	process.kill(child, 'SIGKILL');
	await until(() => ![child, stubborn, orphan].some(isAlive), PATIENCE);
	expect(isAlive(host)).toBe(true);
});

it('ends an execution that takes longer than --limit', async () => {
	const script = model.script;
	model.script = () => undefined;
	expect(await deployment.run({ tool: 'measure' })).toMatchObject({
		status: 'error',
		error: expect.stringContaining('longer than the 0.5 minutes that --limit allows') as string,
	});
	model.script = script;
});
