import { documentedMessage } from '../documentedMessages';
import { inputOf } from './rig';
import { ITEMS, REQUEST_FAULTS, type Position, type Setting } from './cells';
import { inCrewTime } from './crewTime';
import { either } from './page';
import { LIMIT, WaitingRig, type WaitingCell, type WaitingFacts } from './waitingRig';

/** Something that goes wrong while an execution waits. */
export interface Row {
	/** What happens, for people. */
	what: string;
	/** The faults for the crew of the first or the last item. */
	faults: (position: Position) => string[];
}

const skipped = (position: Position) => (position === 'first' ? 0 : ITEMS - 1);

/** What happens to a callback, and to two of them. */
const CALLBACKS = new Map([
	['callback-lost', ['does not arrive', 'do not arrive']],
	['callback-late=8000', ['arrives 8 s late', 'arrive 8 s late']],
	['callback-twice', ['arrives twice', 'arrive twice']],
	['callback-out-of-order', ['arrives after the next one', 'arrive after the next one']],
	['callback-wrong-token', ['has a wrong token', 'have a wrong token']],
]);

const ENDS = new Map([
	['the crew callback', ['crew']],
	['the event', ['stream']],
	['callback and event', ['crew', 'stream']],
]);

export const callbackRows = [...CALLBACKS].flatMap(([kind, [one = '', both = '']]) =>
	[...ENDS].map(([subject, places]): Row => ({
		what: `${subject} ${places.length > 1 ? both : one}`,
		faults: (position) => places.map((place) => `${kind}@${place}+${skipped(position)}*1`),
	})),
);

const STATUS_KINDS = ['latency=90000', 'half-body', 'drop-after', '429=1', '503', 'html'];

export const statusRows = STATUS_KINDS.flatMap((kind) =>
	['*1', ''].map((times): Row => ({
		what: `status: the server ${REQUEST_FAULTS.get(kind) ?? ''}, ${times === '' ? 'from then on' : 'once'}`,
		faults: (position) => [`${kind}@status+${skipped(position)}${times}`],
	})),
);

export const workRows: Row[] = [
	['never-ends', 'the crew never ends'],
	['task-fails', 'the crew fails'],
	['output=200KB', 'the crew’s result has 200 KB'],
].map(([kind = '', what = '']) => ({
	what,
	faults: (position) => [`${kind}@work+${skipped(position)}*1`],
}));

/** During a wait, a message ends with its execution. */
const EXECUTION = / \(kickoff_id [^)]+\)$/;

/** Status requests fail, and callbacks do not arrive as they should. */
export const pairRows = [...CALLBACKS].flatMap(([kind, [, both = '']]) =>
	['drop-after', '503', 'html'].map((status): Row => ({
		what: `callback and event ${both}; status: the server ${REQUEST_FAULTS.get(status) ?? ''}`,
		faults: (position) => [
			...['crew', 'stream'].map((place) => `${kind}@${place}+${skipped(position)}*1`),
			`${status}@status`,
		],
	})),
);

/** A run of a row, and the outcome of its items in words. */
export interface Told {
	what: string;
	position: Position;
	told: string;
}

/** Runs each row in its settings, as many at once as there are rigs, and describes the outcome of each run. */
export async function runRows(
	how: Pick<WaitingCell, 'isHeld'>,
	rows: ReadonlyArray<Row & { settings: readonly Setting[] }>,
	rigs: readonly WaitingRig[],
): Promise<Told[]> {
	const runs = rows.flatMap(({ what, faults, settings }) =>
		settings.map((setting) => ({
			what,
			cell: { ...setting, ...how, faults: faults(setting.position) },
		})),
	);
	const told: Told[] = [];
	let next = 0;
	const work = async (rig: WaitingRig) => {
		while (next < runs.length) {
			const index = next++;
			const { what, cell } = runs[index]!;
			const { position } = cell;
			told[index] = { what, position, told: tell(settle(cell, await rig.run(cell)), position) };
		}
	};
	await inCrewTime(async () => await Promise.all(rigs.map(work)));
	return told;
}

/** Opens rigs, to be closed by {@link closeWaitingRigs}. */
export async function openWaitingRigs(count: number): Promise<WaitingRig[]> {
	return await Promise.all(Array.from({ length: count }, async () => await WaitingRig.open()));
}

export async function closeWaitingRigs(rigs: readonly WaitingRig[]): Promise<void> {
	await Promise.all(
		rigs.map(async (rig) => {
			await rig.close();
		}),
	);
}

/** The outcome of each item: its status, or its message. Throws if a promise is not kept. */
function settle(cell: WaitingCell, facts: WaitingFacts): string[] {
	const { run, kickoffIds, open, ends, elapsed } = facts;
	const items = run.outputs.flat();
	const about = { cell, error: run.error, json: items.map(({ json }) => json) };
	expect({ ...about, perItem: kickoffIds.map(({ length }) => length) }).toEqual({
		...about,
		error: undefined,
		perItem: [1, 1, 1],
	});
	expect({ ...about, order: items.map(inputOf) }).toEqual({ ...about, order: [0, 1, 2] });
	expect(items.map(({ json }) => json.kickoff_id)).toEqual(kickoffIds.flat());
	expect({ ...about, open }).toEqual({ ...about, open: 0 });
	expect(ends).toBeLessThanOrEqual(1);
	// With one more round of polling, and 20 s for its request to each crew.
	expect(elapsed).toBeLessThan((LIMIT + 30 + ITEMS * 20) * 1_000);
	return items.map(({ json }) => {
		if (json.error === undefined || json.status !== undefined)
			return `\`${json.status as string}\``;
		const message = (json.error as string).replace(EXECUTION, '');
		return `_${documentedMessage(message) ?? 'not documented'}_`;
	});
}

function tell(outcomes: readonly string[], position: Position): string {
	const own = outcomes[skipped(position)] ?? '';
	const others = outcomes.filter((_, item) => item !== skipped(position));
	return others.every((other) => other === own)
		? `all ${own}`
		: `${own}, the others ${either([...new Set(others)])}`;
}
