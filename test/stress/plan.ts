import { SeededRandom } from '../support/seededRandom';
import type { Outcome, Trouble } from '../support/scriptedCrew';

/** The plan for one item. */
export interface PlannedItem {
	topic: string;
	outcome: Outcome;
	/** Milliseconds from its kickoff to its end. */
	duration: number;
	/** When the crew calls back, in milliseconds after its end; empty if the callback is lost. */
	calls: number[];
}

/** One n8n execution, which waits for all its items. */
export interface PlannedExecution {
	noticeBy: 'auto' | 'polling';
	items: PlannedItem[];
}

/** A stretch of the run, in milliseconds since all executions were parked. */
export interface Stretch {
	from: number;
	to: number;
}

/** Everything that happens in a run; it depends only on the seed. */
export interface Plan {
	executions: PlannedExecution[];
	/** Times in which every status request is answered with this status. */
	refusals: Array<Stretch & Required<Pick<Trouble, 'status'>> & Trouble>;
	/** Times in which nobody can write to n8n's database. */
	locks: Stretch[];
	/** The trouble for the next request of a kind, apart from {@link refusals}. */
	next: (asked: 'kickoff' | 'status') => Trouble;
}

const KB = 1_000;
const LARGE = 2_000 * KB;
/** Milliseconds. */
const LONGEST_STATUS = 8_000;

/**
 * @param duration milliseconds from the first kickoff to about the last end
 */
export function planOf(seed: number, items: number, duration: number): Plan {
	const random = new SeededRandom(seed);
	const planned = Array.from({ length: items }, (_, index) => planItem(index, duration, random));
	const [kickoffs, questions] = [random, random].map(
		() => new SeededRandom(random.integer(0, 2 ** 30)),
	) as [SeededRandom, SeededRandom];
	const stretches = (count: number, most: number) =>
		Array.from({ length: count }, (): Stretch => {
			const from = random.integer(0, duration);
			return { from, to: from + random.integer(300, most) };
		});
	const often = Math.ceil(duration / 20_000);
	return {
		executions: group(random.shuffle(planned), random),
		refusals: [
			...stretches(often, 5_000).map((one) => ({
				...one,
				status: 429,
				retryAfter: random.integer(1, 4),
			})),
			...stretches(often, 5_000).map((one) => ({ ...one, status: 502 })),
		],
		locks: apart(stretches(2 * often, 2_500)),
		next: (asked) =>
			asked === 'kickoff'
				? kickoffs.pick([{ status: 429, retryAfter: 1 }, ...Array.from({ length: 9 }, () => ({}))])
				: // Most requests are quick.
					{ delay: LONGEST_STATUS * questions.fraction() ** 4 },
	};
}

function planItem(index: number, duration: number, random: SeededRandom): PlannedItem {
	const topic = `item ${index}`;
	const length = index % 30 === 0 ? LARGE : random.integer(KB, 50 * KB);
	const late = () => random.integer(0, duration / 3);
	const calls = random.pick([[0], [0], [0], [0], [], [0, 0], [0, late()], [late()]]);
	const fails = random.integer(1, 20) === 1;
	return {
		topic,
		outcome: fails
			? { error: `No ${topic} today` }
			: { output: `${topic}: `.padEnd(length, `all about ${topic}, `) },
		duration: random.integer(1_000, duration),
		calls,
	};
}

/** One large execution, some with a few items, and many with a single item. */
function group(items: PlannedItem[], random: SeededRandom): PlannedExecution[] {
	const rest = [...items];
	const sizes = [
		Math.round(items.length * 0.4),
		...Array.from({ length: 5 }, () => Math.round(items.length * 0.06)),
	];
	return [...sizes, ...items.map(() => 1)]
		.map((size): PlannedExecution => ({
			noticeBy: random.integer(1, 5) === 1 ? 'polling' : 'auto',
			items: rest.splice(0, size),
		}))
		.filter((one) => one.items.length > 0);
}

/** Only the stretches that begin after the previous one. */
function apart(stretches: readonly Stretch[]): Stretch[] {
	const kept: Stretch[] = [];
	for (const one of [...stretches].sort((a, b) => a.from - b.from)) {
		if (one.from > (kept.at(-1)?.to ?? -1)) kept.push(one);
	}
	return kept;
}
