import { setTimeout as sleep } from 'node:timers/promises';

import { LEASE_TIME } from '../../../crew-server/src/store/store';
import { copyProject } from '../../crewai/support/deployment';
import { startScriptedModel, type ChatRequest } from '../../crewai/support/scriptedModel';
import type { History } from './history';
import type { Work } from './work';

/** Milliseconds that the model takes for an answer. */
const ANSWER = 300;
/** How many executions run at once at one server, and at all of them. */
const PARALLEL = 3;
const FLEET_PARALLEL = 6;

/** The beginning of each task's prompt. */
const TASKS = { research_task: 'Find out three things about', writing_task: 'Write a text about' };

/**
 * The work of a fleet that runs a real CrewAI project. Only its model is scripted.
 *
 * @param python the Python of an environment with CrewAI
 */
export async function crewaiWork(python: string, history: History): Promise<Work> {
	const model = await startScriptedModel(async (request) => {
		note(request, history);
		await sleep(ANSWER);
		return 'Three things';
	});
	const project = copyProject('tea_guide', model.env);
	const tasks = Object.keys(TASKS);
	return {
		fleet: {
			crew: project.folder,
			options: ['--python', python, '--parallel', String(PARALLEL)],
			fleetParallel: FLEET_PARALLEL,
		},
		round: {
			inputs: (topic) => ({ topic, audience: 'everybody' }),
			promised: {
				tasks,
				// One callback for each task, and one for the end.
				callbacks: tasks.length + 1,
				...{ parallel: PARALLEL, fleetParallel: FLEET_PARALLEL, stopTakes: LEASE_TIME },
			},
		},
		close: async () => {
			project.remove();
			await model.close();
		},
	};
}

/** The topic of an execution is the key of its kickoff. */
function note({ messages }: ChatRequest, history: History): void {
	const text = JSON.stringify(messages);
	for (const [task, prompt] of Object.entries(TASKS)) {
		const [, key] = new RegExp(`${prompt} ([0-9a-f-]{36})`).exec(text) ?? [];
		if (key !== undefined) history.add({ what: 'asked', key, task });
	}
}
