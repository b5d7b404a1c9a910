import {
	startCrewServer,
	type CrewTask,
	type CrewServer,
	type CrewServerOptions,
} from '../../crew-server/src';
import { timedCrew } from '../support/timedCrew';
import type { Deployments, Question, Seen } from './crews';

/** So little that the limits are reached during the warm-up: any growth afterwards is a leak. */
const KEPT: CrewServerOptions = {
	retention: { executions: 100, characters: 4 * 1024 ** 2 },
	// A callback that a busy n8n has accepted but answers late should not be sent again.
	delivery: { timeout: 120_000 },
	rememberedRequests: 100,
};

/**
 * The soak's crew servers, in a separate process so that their memory can be read. It answers its parent's questions
 * (see crews.ts) and ends with the parent.
 */
async function main(): Promise<void> {
	const [task] = timedCrew.tasks as [CrewTask];
	const asking = { ...timedCrew, name: 'asking', tasks: [{ ...task, humanInput: true }] };
	const crews = {
		timed: await startCrewServer({ crew: timedCrew, ...KEPT }),
		asking: await startCrewServer({ crew: asking, ...KEPT }),
		faulty: await startCrewServer({ crew: timedCrew, ...KEPT }),
	};
	process.on('message', (question: Question) => {
		void answerTo(question, crews).then((answer) => process.send?.({ id: question.id, answer }));
	});
	process.on('disconnect', () => process.exit());
}

async function answerTo(
	question: Question,
	crews: Record<keyof Deployments, CrewServer>,
): Promise<unknown> {
	switch (question.about) {
		case 'deployments':
			return Object.fromEntries(
				Object.entries(crews).map(([name, { url, accessToken }]) => [name, { url, accessToken }]),
			);
		case 'executions':
			return (await Promise.all(Object.values(crews).map(readExecutions))).flat();
		case 'faults':
			crews.faulty.setFaults(question.faults);
			return true;
		case 'memory':
			globalThis.gc?.();
			return process.memoryUsage().heapUsed;
	}
}

async function readExecutions(crew: CrewServer): Promise<Seen[]> {
	return (await crew.executions()).map(({ kickoffId, inputs, state }) => ({
		kickoffId,
		state,
		topic: String(inputs['topic']),
	}));
}

void main();
