import { join } from 'node:path';
import execa from 'execa';

import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../crew-server/src';
import {
	clientsPython,
	copyProject,
	PATIENCE,
	python,
	type ProjectCopy,
} from './support/deployment';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** Other people's clients, from PyPI. */

let crew: CrewServer;
afterEach(() => crew.close());

async function deploy(options: CrewServerOptions): Promise<void> {
	crew = await startCrewServer(options);
}

/** Runs a client from `clients/`, and reads the JSON that it prints last. */
async function run(client: string, inputs: object, token = crew.accessToken): Promise<unknown> {
	const script = join(__dirname, 'clients', `${client}.py`);
	const args = [script, crew.url, token, JSON.stringify(inputs), String(PATIENCE / 1_000)];
	const env = {
		CREWAI_DISABLE_TELEMETRY: 'true',
		CREWAI_TESTING: 'true',
		OTEL_SDK_DISABLED: 'true',
	};
	const { stdout } = await execa(clientsPython, args, { env, cwd: __dirname });
	return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

describe('InvokeCrewAIAutomationTool of crewai-tools', () => {
	it('reads the result of a crew', async () => {
		await deploy({});
		expect(await run('crewai_tools_client', { topic: 'Tea' })).toEqual({
			said: expect.stringMatching(/^Interest in Tea is growing/) as string,
		});
	});

	it('gets a failure at once', async () => {
		await deploy({ faults: ['task-fails@sort_findings'] });
		expect(await run('crewai_tools_client', { topic: 'Tea' })).toEqual({
			said: expect.stringMatching(/^Error: Crew task failed\..*sort_findings/) as string,
		});
	});

	it('learns which inputs are missing', async () => {
		await deploy({});
		expect(await run('crewai_tools_client', { prompt: 'Tea' })).toEqual({
			said: expect.stringContaining("'missing_inputs': ['topic']") as string,
		});
	});
});

describe("Semantic Kernel's CrewAIEnterpriseClient", () => {
	const aspects = { inputsShape: 'types' } as const;

	it('reads the inputs, the states and the result of a crew', async () => {
		await deploy({ aspects });
		expect(await run('semantic_kernel_client', { topic: 'Tea' })).toEqual({
			inputs: { topic: 'string', year: 'integer' },
			states: expect.arrayContaining(['SUCCESS']) as string[],
			result: expect.stringMatching(/^Interest in Tea is growing/) as string,
			last_step: expect.objectContaining({ thought: expect.any(String) as string }) as object,
		});
	});

	it('hears of a failure', async () => {
		await deploy({ aspects, faults: ['task-fails'] });
		expect(await run('semantic_kernel_client', { topic: 'Tea' })).toMatchObject({
			states: expect.arrayContaining(['FAILED']) as string[],
			result: null,
		});
	});

	it('keeps polling while a person is asked', async () => {
		await deploy({ aspects, crew: 'reviewed-article' });
		const running = run('semantic_kernel_client', { topic: 'Tea' });
		// The client's libraries take long to import.
		const asked = await until(
			async () => (await crew.executions()).find(({ state }) => state === 'pending_human_input'),
			PATIENCE,
		);
		const askedFor = () =>
			crew.requests().filter(({ answer = '' }) => answer.includes('Pending Human Input'));
		await until(() => askedFor().length > 2, PATIENCE);
		await new Client(crew).resume(asked.kickoffId);
		expect(await running).toMatchObject({
			states: expect.arrayContaining(['RUNNING', 'SUCCESS']) as string[],
		});
	});

	it('is refused with another token', async () => {
		await deploy({ aspects });
		await expect(run('semantic_kernel_client', { topic: 'Tea' }, 'other')).rejects.toThrow('401');
	});
});

describe('with a real crew', () => {
	let model: ScriptedModel;
	let copy: ProjectCopy;
	beforeEach(async () => {
		model = await startScriptedModel(() => 'The report of the model');
		copy = copyProject('tea_guide', model.env);
		await deploy({
			crew: copy.folder,
			project: { python },
			aspects: { inputsShape: 'types' },
		});
	});
	afterEach(async () => {
		await model.close();
		copy.remove();
	});

	const inputs = () => Object.fromEntries(crew.crew.inputs.map(({ name }) => [name, 'Tea']));

	it('both read what the model wrote', async () => {
		expect(await run('crewai_tools_client', inputs())).toEqual({ said: 'The report of the model' });
		expect(await run('semantic_kernel_client', inputs())).toMatchObject({
			result: 'The report of the model',
		});
	});
});
