import type { IConnections } from 'n8n-workflow';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-api';
import type { Stage } from '../stage';
import {
	deploy,
	httpKickoff,
	httpNode,
	ITEMS,
	NEXT,
	NOTHING,
	webhook,
	type Part,
} from '../workflows';

const PAUSE: Part = {
	name: 'Pause',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { amount: 5, unit: 'seconds' },
};

const IS_DONE: Part = {
	name: 'Done?',
	type: 'n8n-nodes-base.if',
	typeVersion: 2.2,
	parameters: {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
			combinator: 'and',
			conditions: [
				{
					id: 'done',
					leftValue: '={{ $json.status }}',
					rightValue: 'completed',
					operator: { type: 'string', operation: 'equals' },
				},
			],
		},
	},
};

/** What people build of n8n's own nodes: kick off, then ask every five seconds until the crew has ended. */
export async function deployPollingLoop(stage: Stage): Promise<StoredWorkflow> {
	const { crew, credential } = stage;
	const ask = { url: `=${crew.url}/{{ $('Kickoff').item.json.kickoff_id }}/status`, options: {} };
	const kickoff = httpNode(httpKickoff(crew.url, '$json'), 'crewApi', credential);
	const parts = [
		webhook('onReceived'),
		ITEMS,
		{ ...kickoff, name: 'Kickoff' },
		PAUSE,
		{ ...httpNode(ask, 'crewApi', credential), name: 'Ask' },
		IS_DONE,
		NOTHING,
	];
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	const branches: IConnections = { [IS_DONE.name]: { main: [to(NEXT), to(PAUSE.name)] } };
	return await deploy(stage, parts, branches);
}
