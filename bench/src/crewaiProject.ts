import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import execa from 'execa';

import type { CrewServerOptions } from '../../crew-server/src';
import { copyProject, deploy, type Deployment } from '../../test/crewai/support/deployment';
import {
	ensureCrewai,
	ensureTools,
	findInterpreters,
	NO_PYTHON,
} from '../../test/crewai/support/environments';
import { startScriptedModel, type ScriptedModel } from '../../test/crewai/support/scriptedModel';
import type { Place } from './row';

/** A classic project with two tasks. */
export const PROJECT = 'tea_guide';

/** Milliseconds that the model takes to answer. */
const MODEL_TIME = 50;

export interface Deployed {
	deployment: Deployment;
	model: ScriptedModel;
}

/** Deploys a project with a model that takes its time. */
export async function deployProject(
	place: Place,
	project = PROJECT,
	options: CrewServerOptions = {},
): Promise<Deployed> {
	const model = await slowModel(place);
	const python = await newestCrewai();
	const deployment = await deploy(project, model, {
		...options,
		project: { python, parallel: 20 },
	});
	place.teardown.add(() => deployment.close());
	return { deployment, model };
}

export async function slowModel({ teardown }: Place): Promise<ScriptedModel> {
	const model = await startScriptedModel(async () => {
		await sleep(MODEL_TIME);
		return 'An answer';
	});
	teardown.add(() => model.close());
	return model;
}

export async function newestCrewai(): Promise<string> {
	const [interpreter] = await findInterpreters();
	if (!interpreter) throw new Error(NO_PYTHON);
	return await ensureCrewai('newest', interpreter, await ensureTools(interpreter));
}

/** Starts bare.py, and waits until it has imported the project. */
export async function startBare({ teardown }: Place, model: ScriptedModel) {
	const copy = copyProject(PROJECT, model.env);
	const script = join(__dirname, 'bare.py');
	const child = execa(await newestCrewai(), [script, copy.folder], { reject: false });
	if (!child.stdout) throw new Error('There is nothing to read from.');
	const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
	const answer = async () => {
		const line = (await lines.next()) as IteratorResult<string, undefined>;
		if (line.done) throw new Error(`The bare process has ended: ${(await child).stderr}`);
		return line.value;
	};
	const end = async () => {
		child.stdin?.end();
		await child;
		copy.remove();
	};
	teardown.add(end);
	await answer();
	const ask = async (line: string) => {
		child.stdin?.write(`${line}\n`);
		return await answer();
	};
	return { ask, end };
}
