import { limit, type Side } from '../row';
import { crewNode, deploy, ITEMS, NEXT, NOTHING, post, runOf, urlOf, webhook } from '../workflows';

const TIMEOUT = 400_000;

/** Milliseconds after which all crews have been started. From then on, they end one after the other. */
const ALL_STARTED = 7_000;
const APART = 40;

/** The status requests that joining as many crews as the row's size takes, in all. */
export const join: Side = {
	name: 'Crew',
	prepare: async ({ size, stage: open }) => {
		const stage = await open();
		const node = crewNode(stage.credential, { wait: 'end' });
		const workflow = await deploy(stage, [webhook('onReceived'), ITEMS, node, NOTHING]);
		return async () => {
			const before = stage.crew.requests().length;
			await post(urlOf(stage, workflow), { durations: durationsOf(size) });
			const patience = { timeout: TIMEOUT, interval: 1_000 };
			const [execution] = await stage.api.waitForExecutionsOf(workflow.id, 1, patience);
			if (execution?.status !== 'success') {
				throw new Error(`The join ended as ${execution?.status}`);
			}
			const items = runOf(execution, NEXT).data?.['main']?.[0] ?? [];
			const completed = items.filter(({ json }) => json['status'] === 'completed').length;
			if (completed !== size) throw new Error(`Of ${size} crews ${completed} came out completed`);
			const sent = stage.crew.requests().slice(before);
			return sent.filter(({ method, path }) => method === 'GET' && path.includes('/status')).length;
		};
	},
};

export const bound = limit((size) => Math.floor(size * Math.log2(size) + size), 'N log₂ N + N');

/** Durations in milliseconds with which N crews end one after the other, in mixed order, when all have been started. */
function durationsOf(count: number): number[] {
	// Multiples of a coprime number: each place once, well mixed, and the same in every run.
	const places = Array.from({ length: count }, (_, n) => (n * 997) % count);
	return places.map((place) => ALL_STARTED + place * APART);
}
