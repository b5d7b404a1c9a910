import { startCrewServer, type CrewDefinition } from '../../crew-server/src';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import type { PackedPackage } from '../../sandbox/src/packed-package';
import { Teardown } from '../../sandbox/src/teardown';
import type { Place, Row } from './row';
import { startBenchN8n, type BenchN8n, type Stage } from './stage';

/** A crew that takes as long as it is told to, in milliseconds. */
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

/** How late the crew answers if a row does not say otherwise, in milliseconds. */
const USUAL_LATENCY = 20;

/** So that a row can look back at all that it has caused. */
const REMEMBERED = 20_000;

/** A place for a row, and what the runner does with it. */
export interface RowPlace extends Place {
	/** Before each figure: n8n is at rest with its garbage collected, or has just been started if the row is cold. */
	ready(): Promise<void>;
	/** What n8n does while `work` runs, as a `.cpuprofile`; `undefined` if the row needs no n8n. */
	profile(work: () => Promise<unknown>): Promise<unknown>;
	/** Ends what the row started. */
	close(): Promise<void>;
}

/** Hands out places. One n8n serves all rows that follow one another with the same settings. */
export class Places {
	private shared: { settings: string; n8n: BenchN8n } | undefined;

	constructor(
		private readonly packed: PackedPackage,
		private readonly teardown: Teardown,
		private readonly log: (line: string) => void,
	) {}

	/** A place of which nothing has been started yet. */
	open(row: Row): RowPlace {
		const teardown = new Teardown();
		this.teardown.add(() => teardown.run());
		let used: { n8n: BenchN8n; stage: Stage } | undefined;
		return {
			size: row.size,
			packed: this.packed,
			teardown,
			stage: async () => {
				used ??= await this.startStage(row, teardown);
				return used.stage;
			},
			ready: async () => {
				if (row.start === 'warm') await used?.n8n.settle();
				else await used?.n8n.restart(used.stage.deployed);
			},
			profile: async (work) => await used?.n8n.profile(work),
			close: () => teardown.run(),
		};
	}

	private async startStage(row: Row, teardown: Teardown) {
		const n8n = await this.shareN8n(row);
		const crew = await startCrewServer({
			crew: CREW,
			dialect: 'documented',
			faults: [...(row.faults ?? []), `latency=${row.latency ?? USUAL_LATENCY}`],
			rememberedRequests: REMEMBERED,
			retention: { atHand: REMEMBERED },
			delivery: { remembered: REMEMBERED },
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

	private async shareN8n({ n8n: settings = {} }: Row): Promise<BenchN8n> {
		const key = JSON.stringify(settings);
		if (this.shared?.settings === key) return this.shared.n8n;
		await this.endSharedN8n();
		this.log('Starting n8n ...');
		const own = new Teardown();
		this.teardown.add(() => own.run());
		const n8n = await startBenchN8n(this.packed, own, settings);
		this.shared = { settings: key, n8n };
		return n8n;
	}

	/** Ends the n8n that rows share; the next one gets a new one. */
	async endSharedN8n(): Promise<void> {
		await this.shared?.n8n.stop();
		this.shared = undefined;
	}
}
