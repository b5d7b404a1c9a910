import {
	startLocalCrew,
	type CrewTask,
	type LocalCrew,
	type LocalCrewOptions,
} from '../../local-crew/src';
import { timedCrew } from '../support/timedCrew';
import type { Deployments, Question, Seen } from './crews';

/** So little that it is all there after the warm-up: what still grows afterwards is a leak. */
const KEPT: LocalCrewOptions = {
	retention: { atHand: 100, characters: 4 * 1024 ** 2, inJournal: 100 },
	delivery: { remembered: 100 },
	rememberedRequests: 100,
};

/**
 * The soak's local crews, in a process of their own so that their memory can be read. It answers its parent's
 * questions (see crews.ts) and ends with it.
 */
async function main(): Promise<void> {
	const [task] = timedCrew.tasks as [CrewTask];
	const asking = { ...timedCrew, name: 'asking', tasks: [{ ...task, humanInput: true }] };
	const crews = {
		timed: await startLocalCrew({ crew: timedCrew, ...KEPT }),
		asking: await startLocalCrew({ crew: asking, ...KEPT }),
		faulty: await startLocalCrew({ crew: timedCrew, ...KEPT }),
	};
	process.on('message', (question: Question) => {
		process.send?.({ id: question.id, answer: answerTo(question, crews) });
	});
	process.on('disconnect', () => process.exit());
}

function answerTo(question: Question, crews: Record<keyof Deployments, LocalCrew>): unknown {
	switch (question.about) {
		case 'deployments':
			return Object.fromEntries(
				Object.entries(crews).map(([name, { url, accessToken }]) => [name, { url, accessToken }]),
			);
		case 'executions':
			return Object.values(crews).flatMap(readExecutions);
		case 'faults':
			crews.faulty.setFaults(question.faults);
			return true;
		case 'memory':
			globalThis.gc?.();
			return process.memoryUsage().heapUsed;
	}
}

function readExecutions(crew: LocalCrew): Seen[] {
	return crew
		.executions()
		.map(({ kickoffId, inputs, state }) => ({ kickoffId, state, topic: String(inputs['topic']) }));
}

void main();
