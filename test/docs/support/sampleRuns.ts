import { createServer, type IncomingMessage } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import {
	startCrewServer,
	type CrewDefinition,
	type CrewServer,
	type CrewServerOptions,
} from '../../../crew-server/src';
import { jsonOf, listenOnLoopback, type Loopback } from '../../../sandbox/src/loopback';
import { waitFor } from '../../../sandbox/src/wait-for';
import { runCrew, WEBHOOK_ID, type CrewNode } from '../../support/engine';
import { callTrigger } from '../../support/triggerCall';

/** The input of a node or a request, and the result. */
export interface Sample {
	in: unknown;
	out: unknown;
}

/** One task is enough to show a result. */
const SHORT_CREW: CrewDefinition = {
	name: 'short-report',
	inputs: [
		{ name: 'topic', type: 'string', required: true, description: 'The topic to research' },
		{ name: 'year', type: 'integer', required: false },
	],
	tasks: [
		{
			name: 'write_report',
			description: 'Write about {topic}',
			expectedOutput: 'A sentence',
			agent: 'Writer',
			output: 'Interest in {topic} is growing. This is sample text: no model wrote it.',
		},
	],
};
const ITEM = { topic: 'bees', year: 2026 };
const ARTICLE = { topic: 'bees', audience: 'gardeners' };
const KICKOFF = {
	operation: 'kickoff',
	specifyInputs: 'json',
	inputsJson: '={{ JSON.stringify($json) }}',
};
const POLLING = { wait: 'end', limitWaitTime: true, resumeAmount: 1, resumeUnit: 'minutes' };
const KINDS = ['crew', 'human_input', 'stream', 'task'];
/** Fields that each kind of callback has, which only one sample shows. */
const OF_ALL_KINDS = ['meta', 'received_at', 'delivery_id', 'callbacks'];

/** Runs each operation and most kinds of callback against crews that are deployed on this machine. */
export async function makeSamples(): Promise<Record<string, Sample>> {
	return {
		...(await withCrew({ crew: SHORT_CREW }, sampleQuickCrew)),
		...(await withCrew({ crew: 'reviewed-article' }, sampleAskingCrew)),
		...(await withCrew({ crew: 'reviewed-article' }, sampleCallbacks)),
	};
}

type Samples = Promise<Record<string, Sample>>;

async function withCrew(options: CrewServerOptions, use: (crew: CrewServer) => Samples): Samples {
	const crew = await startCrewServer(options);
	try {
		return await use(crew);
	} finally {
		await crew.close();
	}
}

async function sampleQuickCrew(crew: CrewServer): Samples {
	const [first] = (await sample(crew, { operation: 'getInputs' }, {})).out as IDataObject[];
	const completed = await sample(crew, { ...KICKOFF, ...POLLING }, ITEM);
	const unknown = { kickoff_id: '00000000-0000-4000-8000-000000000000' };
	const stop = { operation: 'stop', kickoffId: '={{ $json.kickoff_id }}' };
	return {
		'get-inputs': { in: {}, out: first },
		'kickoff-completed': completed,
		'went-on': await sample(crew, stop, unknown, { onError: 'continueRegularOutput' }),
	};
}

async function sampleAskingCrew(crew: CrewServer): Samples {
	const asked = await sample(crew, { ...KICKOFF, ...POLLING }, ARTICLE);
	const { kickoff_id, task_id } = asked.out as IDataObject;
	const answer = (decision: 'approve' | 'reject', feedback: string) => ({
		operation: 'resume',
		kickoffId: '={{ $json.kickoff_id }}',
		taskId: '={{ $json.task_id }}',
		decision,
		humanFeedback: feedback,
		callbacks: 'none',
	});
	const ids = { kickoff_id, task_id };
	const rejected = await sample(crew, { ...answer('reject', 'Shorter, please'), wait: 'no' }, ids);
	await waitFor('the crew to ask again', async () => {
		const [execution] = await crew.executions();
		return execution?.state === 'pending_human_input';
	});
	return { 'kickoff-asks': asked, 'resume-rejected': rejected };
}

/** Runs the node, and leaves out items that are not of interest. */
async function sample(
	crew: CrewServer,
	parameters: CrewNode['parameters'],
	item: IDataObject,
	settings: CrewNode['settings'] = {},
): Promise<Sample> {
	const { json, error } = await runCrew(
		{
			parameters: { ...parameters, options: { hold: true, ...(parameters.options as object) } },
			settings,
		},
		{ items: [item], credential: { baseUrl: crew.url, accessToken: crew.accessToken } },
	);
	if (error) throw new Error(`${error.message}\n${error.description ?? ''}`);
	return { in: item, out: json.length === 1 ? json[0] : json };
}

async function sampleCallbacks(crew: CrewServer): Samples {
	const received = new Map<string, Sample>();
	const trigger = await startTrigger(received);
	const triggerUrl = `${trigger.url}/webhook/${WEBHOOK_ID}/webhook`;
	const told = { callbacks: 'trigger', triggerUrl, triggerEvents: KINDS };
	const meta = { meta: '{"customer": 42}', n8nMeta: false };
	try {
		const kickoff = { ...KICKOFF, ...told, wait: 'no', options: meta };
		const started = await sample(crew, kickoff, ARTICLE);
		await waitFor('the crew to ask', () => received.get('human_input'));
		const asked = { ...(started.out as IDataObject), task_id: 'write_draft' };
		const resume = { operation: 'resume', kickoffId: '={{ $json.kickoff_id }}' };
		const answer = {
			taskId: '={{ $json.task_id }}',
			decision: 'approve',
			humanFeedback: 'Well done',
			callbacks: 'same',
		};
		await sample(crew, { ...resume, ...answer, wait: 'no' }, asked);
		await waitFor('these kinds of callback', () =>
			received.size === KINDS.length ? true : undefined,
		);
		return Object.fromEntries(
			[...received]
				.sort()
				.map(([kind, each]) => [`event-${kind}`, kind === 'crew' ? each : ownOf(each)]),
		);
	} finally {
		await trigger.close();
	}
}

/** A sample with only the fields that are specific to its kind. */
function ownOf({ in: body, out }: Sample): Sample {
	const fields = Object.entries(out as IDataObject);
	return {
		in: body,
		out: Object.fromEntries(fields.filter(([name]) => !OF_ALL_KINDS.includes(name))),
	};
}

/** One of each kind, always the same: callbacks are sent in parallel, so the first one to arrive varies. */
function isShown({ event, name, type }: IDataObject): boolean {
	if (event === 'task') return name === 'write_draft';
	return event !== 'stream' || type === 'crew_kickoff_started';
}

/** Listens instead of n8n, and passes each request to the trigger. */
async function startTrigger(received: Map<string, Sample>): Promise<Loopback> {
	const server = createServer((request, response) => {
		void answer(request, received).then((status) => response.writeHead(status).end());
	});
	return await listenOnLoopback(server);
}

async function answer(request: IncomingMessage, received: Map<string, Sample>): Promise<number> {
	const body = await jsonOf<unknown>(request);
	const query = Object.fromEntries(new URL(request.url ?? '', 'http://n8n').searchParams);
	const { items, status } = await callTrigger({ body, query, parameters: { events: KINDS } });
	const item = items?.find(isShown);
	if (item) received.set(item.event as string, { in: body, out: item });
	return status;
}
