import type { PackedPackage } from '../../sandbox/src/packed-package';
import type { Teardown } from '../../sandbox/src/teardown';
import type { Comparison, Figures } from './figures';
import type { Stage } from './stage';

/** What a row finds where it is run. */
export interface Bench {
	/** Whether it shall take seconds rather than minutes. */
	isQuick: boolean;
	packed: PackedPackage;
	teardown: Teardown;
	/**
	 * An n8n that rows share, started for the first that asks: one for rows whose crews are kicked off in thousands and
	 * never end, one for those that wait for callbacks.
	 */
	stage(purpose: 'kickoffs' | 'callbacks'): Promise<Stage>;
	/** Works on an n8n of its own, with these environment variables; it is ended afterwards. */
	withOwnStage<T>(settings: Record<string, string>, work: (stage: Stage) => Promise<T>): Promise<T>;
	/** Where profiles are wanted: keeps one, for a browser's developer tools. */
	keepProfile?: (name: string, profile: unknown) => Promise<void>;
	/** Tells how the row gets on. */
	log: (line: string) => void;
}

/** One subject of the table, which can be run alone. */
export interface Row {
	/** On the command line. */
	name: string;
	about: string;
	/** Left out of a quick run unless it is named. */
	isLong?: boolean;
	run(bench: Bench): Promise<Comparison[]>;
}

/** A contender, and what measures it once. */
export interface Contender {
	name: string;
	measure: () => Promise<number>;
	/** Fewer rounds than the others have, where one takes minutes. */
	rounds?: number;
}

/**
 * Measures the contenders in turn, round by round, after one round that does not count.
 *
 * @returns the figures of a contender, by its name
 */
export async function measureInTurn(
	{ log }: Pick<Bench, 'log'>,
	subject: string,
	contenders: readonly Contender[],
	rounds: number,
): Promise<(contender: string) => Figures> {
	const figures = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
	for (let round = 0; round <= rounds; round++) {
		const told: string[] = [];
		for (const { name, measure, rounds: own = rounds } of contenders) {
			if (round > own || (round === 0 && own < rounds)) continue;
			const figure = await measure();
			if (round > 0) figures.get(name)?.push(figure);
			told.push(`${name} ${Number(figure.toPrecision(3))}`);
		}
		log(`${subject}, ${round === 0 ? 'warming up' : `round ${round}`}: ${told.join(', ')}`);
	}
	return (contender) => ({ contender, rounds: figures.get(contender) ?? [] });
}
