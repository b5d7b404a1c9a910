import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SeededRandom } from '../support/seededRandom';
import type { Deployments, Seen } from './crews';
import { KICKOFF, type Report, type Step } from './workflows';

/** How an operation can end for the user; `refused` is an item that says why. */
export const ENDS = ['completed', 'failed', 'stopped', 'timed out', 'refused'] as const;
export type End = (typeof ENDS)[number];

/** A kind of operation that people do with crews. */
export interface Kind {
	name: string;
	/** How often it is chosen, in relation to the others. */
	weight: number;
	crew: keyof Deployments;
	steps: readonly Step[];
	/** The step whose item shows the end; without one, a Crew Trigger reports it. */
	told?: string;
	/** The crew's inputs other than its topic. */
	inputs: (random: SeededRandom) => IDataObject;
	ends: readonly End[];
	/** How the crew's own execution may end. */
	crewEnds: ReadonlyArray<Seen['state']>;
}

const HOUR = 3_600_000;
const shortly = (random: SeededRandom) => ({ duration: random.integer(0, 6_000) });
const forAnHour = () => ({ duration: HOUR });

const kickoff = (parameters: INodeParameters): Step => [
	KICKOFF,
	{
		operation: 'kickoff',
		specifyInputs: 'json',
		inputsJson: '={{ JSON.stringify($json.body) }}',
		...parameters,
	},
];
const polling = { wait: 'end', options: { noticeBy: 'polling', pollInterval: 1 } };
const callback = { wait: 'end' };
const limit = (seconds: number) => ({ resumeAmount: seconds, resumeUnit: 'seconds' });
const stop: Step = [
	'Stop',
	{ operation: 'stop', kickoffId: `={{ $('${KICKOFF}').first().json.kickoff_id }}` },
];
const approve: Step = [
	'Resume',
	{
		operation: 'resume',
		kickoffId: '={{ $json.kickoff_id }}',
		taskId: '={{ $json.task_id }}',
		decision: 'approve',
		humanFeedback: 'Well done',
		...callback,
	},
];

const completes = { ends: ['completed'], crewEnds: ['completed'] } satisfies Partial<Kind>;
const timesOut = {
	crew: 'timed',
	told: KICKOFF,
	inputs: forAnHour,
	ends: ['timed out'],
	crewEnds: ['stopped'],
} satisfies Partial<Kind>;
const anything = {
	crew: 'faulty',
	told: KICKOFF,
	inputs: shortly,
	ends: ['completed', 'failed', 'timed out', 'refused'],
	crewEnds: ['completed', 'failed', 'stopped'],
} satisfies Partial<Kind>;

/** @param triggerUrl the URL of the trigger that some crews call */
export function kinds(triggerUrl: string): Kind[] {
	const toTrigger = {
		callbacks: 'trigger',
		triggerUrl,
		triggerEvents: ['crew'],
		options: { meta: '={{ JSON.stringify({ operation: $json.body.topic }) }}' },
	};
	return [
		{
			...{ name: 'wait by callback', weight: 6, crew: 'timed', told: KICKOFF, inputs: shortly },
			...{ steps: [kickoff(callback)], ...completes },
		},
		{
			...{ name: 'wait by polling', weight: 4, crew: 'timed', told: KICKOFF, inputs: shortly },
			...{ steps: [kickoff(polling)], ...completes },
		},
		{
			...{ name: 'a crew that fails', weight: 2, crew: 'timed', told: KICKOFF },
			inputs: (random) => ({ ...shortly(random), failure: 'Not today' }),
			...{ steps: [kickoff(callback)], ends: ['failed'], crewEnds: ['failed'] },
		},
		{
			...{
				name: 'ask a person, resume',
				weight: 4,
				crew: 'asking',
				told: 'Resume',
				inputs: shortly,
			},
			...{ steps: [kickoff(callback), approve], ...completes },
		},
		{
			...{ name: 'stop', weight: 3, crew: 'timed', told: 'Stop', inputs: forAnHour },
			...{ steps: [kickoff({ wait: 'no' }), stop], ends: ['stopped'], crewEnds: ['stopped'] },
		},
		{
			...{ name: 'callback to a trigger', weight: 4, crew: 'timed', inputs: shortly },
			...{ steps: [kickoff({ wait: 'no', ...toTrigger })], ...completes },
		},
		{
			...{ name: 'time limit, polling', weight: 2, ...timesOut },
			steps: [kickoff({ ...polling, ...limit(2) }), stop],
		},
		{
			...{ name: 'time limit, callback', weight: 1, ...timesOut },
			steps: [kickoff({ ...callback, ...limit(5) }), stop],
		},
		{
			...{ name: 'faults, polling', weight: 3, ...anything },
			steps: [kickoff({ ...polling, ...limit(15) }), stop],
		},
		{
			...{ name: 'faults, callback', weight: 3, ...anything },
			steps: [kickoff({ ...callback, ...limit(15) }), stop],
		},
	];
}

/** The faults of the faulty crew, one at a time, at random. */
export const FAULTS = [
	'latency=100..800',
	'429=1@kickoff*2',
	'429=1@status*2',
	'500@status*2',
	'502@status*2',
	'503@kickoff*1',
	'html@status*2',
	'drop-before@kickoff*1',
	'drop-after@kickoff*1',
	'drop-before@status*2',
	'slow-body=500@status',
	'half-body@status*2',
	'callback-lost@crew*2',
	'callback-late=1500',
	'callback-twice',
	'callback-out-of-order',
	'never-ends*1',
	'task-fails*2',
	'output=500KB*2',
] as const;

/** @returns `undefined` for an item that is not a valid end */
export function endOf({ item: { status, error } }: Report): End | undefined {
	if (status === undefined)
		return typeof error === 'string' && error !== '' ? 'refused' : undefined;
	return ENDS.find((end) => end === status.replace('_', ' '));
}
