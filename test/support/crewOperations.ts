import type { CrewNode } from './engine';

export const KICKOFF_ID = '0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d';

type Parameters = CrewNode['parameters'];

/** Parameters of each operation that send one request per item, without n8n's details. */
export const OPERATIONS = {
	getInputs: { operation: 'getInputs' },
	kickoff: {
		operation: 'kickoff',
		specifyInputs: 'json',
		inputsJson: '={{ JSON.stringify($json.inputs ?? { topic: "bees" }) }}',
		wait: 'no',
		options: { n8nMeta: false },
	},
	getStatus: { operation: 'getStatus', kickoffId: KICKOFF_ID },
	resume: {
		operation: 'resume',
		kickoffId: KICKOFF_ID,
		taskId: 'write',
		decision: 'approve',
		humanFeedback: 'Good',
		callbacks: 'none',
		wait: 'no',
	},
	stop: { operation: 'stop', kickoffId: KICKOFF_ID },
} as const satisfies Record<string, Parameters>;

export type OperationName = keyof typeof OPERATIONS;

export const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

/** A dialect of the API, with the requests and answers of one deployment. */
export interface Dialect {
	name: string;
	/** Method and path of each operation's request. */
	requests: Record<OperationName, readonly ['GET' | 'POST', string]>;
	/** A success of each operation, and the items that result. */
	successes: Record<OperationName, { answer: unknown; items: Array<Record<string, unknown>> }>;
	/** The deployment's body of a refusal. */
	refusal: (text: string) => unknown;
	missingInputs: (...names: string[]) => unknown;
}

const POSTS = {
	kickoff: ['POST', '/kickoff'],
	resume: ['POST', '/resume'],
	stop: ['POST', `/stop/${KICKOFF_ID}`],
} as const;

const RESUMED = {
	answer: { status: 'resumed', message: 'Going on' },
	items: [{ kickoff_id: KICKOFF_ID, task_id: 'write', status: 'resumed', message: 'Going on' }],
};

const STOPPED = {
	answer: { status: 'stopped', kickoffId: KICKOFF_ID },
	items: [{ kickoff_id: KICKOFF_ID, status: 'stopped' }],
};

const documented: Dialect = {
	name: 'documented',
	requests: {
		...POSTS,
		getInputs: ['GET', '/inputs'],
		getStatus: ['GET', `/${KICKOFF_ID}/status`],
	},
	successes: {
		getInputs: {
			answer: {
				inputs: [{ name: 'topic', type: 'string', required: true, description: 'What about' }],
			},
			items: [{ name: 'topic', type: 'string', required: true, description: 'What about' }],
		},
		kickoff: {
			answer: { kickoff_id: KICKOFF_ID },
			items: [{ kickoff_id: KICKOFF_ID, status: 'started' }],
		},
		getStatus: {
			answer: {
				status: 'completed',
				result: { output: 'Bees', tasks: [{ task_id: 'write', output: 'Bees' }] },
				execution_time: 1.5,
			},
			items: [
				{
					kickoff_id: KICKOFF_ID,
					status: 'completed',
					output: 'Bees',
					tasks: [{ task_id: 'write', output: 'Bees' }],
					execution_time: 1.5,
				},
			],
		},
		resume: RESUMED,
		stop: STOPPED,
	},
	refusal: (text) => ({ error: 'Refused', message: text }),
	missingInputs: (...names) => ({
		error: 'Refused',
		message: 'Not complete',
		details: { missing_inputs: names },
	}),
};

const queue: Dialect = {
	name: 'task queue',
	requests: {
		...POSTS,
		getInputs: ['GET', '/inputs'],
		getStatus: ['GET', `/status/${KICKOFF_ID}`],
	},
	successes: {
		getInputs: {
			answer: { inputs: ['topic', 'year'] },
			items: [{ name: 'topic' }, { name: 'year' }],
		},
		kickoff: {
			answer: { id: KICKOFF_ID },
			items: [{ kickoff_id: KICKOFF_ID, status: 'started' }],
		},
		getStatus: {
			answer: { state: 'SUCCESS', status: 'SUCCESS', result: '{"title":"Bees"}', last_step: {} },
			items: [
				{
					kickoff_id: KICKOFF_ID,
					status: 'completed',
					output: '{"title":"Bees"}',
					output_json: { title: 'Bees' },
					progress: { last_step: {} },
				},
			],
		},
		resume: RESUMED,
		stop: STOPPED,
	},
	refusal: (text) => ({ detail: text }),
	missingInputs: (...names) => ({
		detail: names.map((name) => ({
			loc: ['body', 'inputs', name],
			msg: 'Field required',
			type: 'missing',
		})),
	}),
};

export const DIALECTS = [documented, queue];
