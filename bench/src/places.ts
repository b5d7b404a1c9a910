import { startCrewServer, type CrewDefinition } from '../../crew-server/src';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import type { PackedPackage } from '../../sandbox/src/packed-package';
import { Teardown } from '../../sandbox/src/teardown';
import type { Place, Row, SideName } from './row';
import { startBenchN8n, type BenchN8n, type Stage } from './stage';

/** A crew that takes as many milliseconds as an input says. */
const CREW: CrewDefinition = {
	name: 'bench',
	inputs: [
		{ name: 'topic', type: 'string', required: true },
		{ name: 'duration', type: 'number', required: true },
	],
	tasks: [
		{
			name: 'take_time',
			description: 'Take your time with {topic}',
			expectedOutput: 'A sentence about {topic}',
			agent: 'Worker',
			duration: '{duration}',
			output: 'All about {topic}',
		},
	],
};

/** Milliseconds after which the crew answers by default. */
const USUAL_LATENCY = 20;

/** Enough for a row to look back at all its requests. */
const REMEMBERED = 20_000;

/** The places of a row's sides, and what the runner does with them. */
export interface RowPlaces {
	/** The same for both sides if the row is warm. */
	sides: Record<SideName, Place>;
	/**
	 * Before each figure of a side: its n8n is idle and has collected its garbage or, if the row is cold, is new. For a cold
	 * row, both are started before ours, since one after the other would take half as long again.
	 */
	ready(side: SideName): Promise<void>;
	/** A `.cpuprofile` of a side's n8n while `work` runs; `undefined` if the side needs no n8n. */
	profile(side: SideName, work: () => Promise<unknown>): Promise<unknown>;
	/** Ends what the row started. */
	close(): Promise<void>;
}

/** Hands out places. Consecutive rows with the same settings share their n8n. */
export class Places {
	private shared: { settings: string; n8ns: BenchN8n[] } = { settings: '', n8ns: [] };

	constructor(
		private readonly packed: PackedPackage,
		private readonly teardown: Teardown,
		private readonly log: (line: string) => void,
	) {}

	/** Places, of which nothing has been started yet. */
	open(row: Row): RowPlaces {
		const teardown = new Teardown();
		this.teardown.add(() => teardown.run());
		const used = new Map<number, { n8n: BenchN8n; stage: Stage }>();
		const isCold = row.start === 'cold';
		const numberOf = (side: SideName) => (isCold && side === 'beside' ? 1 : 0);
		const placeOf = (side: SideName): Place => ({
			size: row.size,
			packed: this.packed,
			teardown,
			stage: async () => {
				const number = numberOf(side);
				const one = used.get(number) ?? (await this.startStage(row, number, teardown));
				used.set(number, one);
				return one.stage;
			},
		});
		return {
			sides: { ours: placeOf('ours'), beside: placeOf('beside') },
			ready: async (side) => {
				if (!isCold) return await used.get(0)?.n8n.settle();
				const isDue = (number: number) =>
					row.startsApart ? number === numberOf(side) : side === 'ours';
				const due = [...used].filter(([number]) => isDue(number));
				await Promise.all(due.map(([, { n8n, stage }]) => n8n.restart(stage.deployed)));
			},
			profile: async (side, work) => await used.get(numberOf(side))?.n8n.profile(work),
			close: () => teardown.run(),
		};
	}

	private async startStage(row: Row, number: number, teardown: Teardown) {
		const n8n = await this.shareN8n(row, number);
		const crew = await startCrewServer({
			crew: CREW,
			dialect: 'documented',
			faults: [...(row.faults ?? []), `latency=${row.latency ?? USUAL_LATENCY}`],
			rememberedRequests: REMEMBERED,
			retention: { executions: REMEMBERED },
		});
		teardown.add(() => crew.close());
		const { api, usage } = n8n;
		const credential = await storeCrewCredential(api, crew, 'The crew of the row');
		const stage: Stage = { api, usage, crew, credential, deployed: [] };
		teardown.add(async () => {
			for (const { id } of stage.deployed) await api.deactivateWorkflow(id);
		});
		return { n8n, stage };
	}

	/** The first or the second n8n with a row's settings. */
	private async shareN8n({ n8n: settings = {} }: Row, number: number): Promise<BenchN8n> {
		const key = JSON.stringify(settings);
		if (this.shared.settings !== key) await this.endSharedN8n();
		const { n8ns } = this.shared;
		this.shared.settings = key;
		const known = n8ns[number];
		if (known) return known;
		this.log('Starting n8n ...');
		const own = new Teardown();
		this.teardown.add(() => own.run());
		const n8n = await startBenchN8n(this.packed, own, settings);
		n8ns[number] = n8n;
		return n8n;
	}

	/** Ends what rows share; the next row gets a new n8n. */
	async endSharedN8n(): Promise<void> {
		const { n8ns } = this.shared;
		this.shared = { settings: '', n8ns: [] };
		await Promise.all(n8ns.map((n8n) => n8n.stop()));
	}
}
