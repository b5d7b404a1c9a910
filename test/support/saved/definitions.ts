import type { INode, NodeParameterValueType } from 'n8n-workflow';
import { EVENT_TYPES } from '../../../nodes/Crew/callbacks/eventTypes';
import { savedWorkflow, type SavedDefinition } from './savedWorkflow';

/** n8n's own address in a saved workflow. */
const N8N = 'https://n8n.example.org';

type Parameters = Record<string, NodeParameterValueType>;

const manual = node('Start', 'n8n-nodes-base.manualTrigger', {});

/** Returns one item, for inputs that are read from items. */
const item = (json: object) =>
	node('Item', 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: JSON.stringify(json) }, 3.4);

const bees = { specifyInputs: 'json', inputsJson: '{"topic": "bees", "duration": 20}' };
const slowBees = { specifyInputs: 'json', inputsJson: '{"topic": "bees", "duration": 2000}' };
const article = { specifyInputs: 'json', inputsJson: '{"topic": "bees"}' };

const kickoff = (parameters: Parameters) =>
	crew('Kickoff', 'kickoff', { ...bees, wait: 'no', ...parameters });
const ask = asking(
	crew('Kickoff', 'kickoff', { ...article, options: { noticeBy: 'polling', pollInterval: 1 } }),
);

const ALL_KINDS = ['crew', 'stream', 'human_input', 'step', 'task'];

/** Every field of both nodes in each of its uses, as people may have saved them with this version. */
export const DEFINITIONS: readonly SavedDefinition[] = [
	savedWorkflow('get-inputs', [manual, crew('Inputs', 'getInputs', {})]),
	savedWorkflow('kickoff-fields', [
		manual,
		kickoff({
			specifyInputs: 'fields',
			inputs: mapper('defineBelow', { topic: 'bees', duration: 20, failure: null }),
			inputsJson: '{}',
			options: { meta: '{"customer": 42}', n8nMeta: false, maxParallel: 2 },
		}),
	]),
	savedWorkflow('kickoff-mapped-items', [
		manual,
		item({ topic: 'bees', duration: 20, other: 'not an input' }),
		kickoff({
			specifyInputs: 'fields',
			inputs: mapper('autoMapInputData', null),
			inputsJson: '{}',
		}),
	]),
	savedWorkflow('kickoff-own-urls', [
		manual,
		kickoff({
			callbacks: 'custom',
			callbackUrls: Object.fromEntries(
				['crew', 'humanInput', 'step', 'task'].map((kind) => [
					`${kind}WebhookUrl`,
					`${N8N}/webhook/nobody?callback=${kind}`,
				]),
			),
		}),
	]),
	savedWorkflow('kickoff-trigger', [
		manual,
		kickoff({
			callbacks: 'trigger',
			triggerUrl: `${N8N}/webhook/nobody/webhook`,
			triggerEvents: ALL_KINDS,
			options: { streamEvents: EVENT_TYPES },
		}),
	]),
	savedWorkflow('kickoff-trigger-usual', [
		manual,
		kickoff({ callbacks: 'trigger', triggerUrl: `${N8N}/webhook/nobody/webhook` }),
	]),
	savedWorkflow('wait', [manual, crew('Kickoff', 'kickoff', slowBees)]),
	// Options that were added but not changed.
	savedWorkflow('wait-usual-options', [
		manual,
		crew('Kickoff', 'kickoff', {
			...slowBees,
			options: {
				n8nMeta: true,
				noticeBy: 'auto',
				hold: false,
				failureEvents: true,
				simplify: true,
				pollInterval: 5,
				maxParallel: 0,
				restoreFromStateId: '',
			},
		}),
	]),
	savedWorkflow('wait-by-callback', [
		manual,
		kickoff({
			...slowBees,
			wait: 'end',
			resumeAmount: 2.5,
			resumeUnit: 'days',
			options: { noticeBy: 'callback', failureEvents: false, simplify: false },
		}),
	]),
	savedWorkflow('wait-by-polling', [
		manual,
		kickoff({
			wait: 'end',
			limitWaitTime: false,
			options: { noticeBy: 'polling', pollInterval: 1, simplify: false },
		}),
	]),
	savedWorkflow('wait-held', [
		manual,
		kickoff({ wait: 'end', options: { hold: true, pollInterval: 1, stopOnCancel: true } }),
	]),
	savedWorkflow('get-status', [
		manual,
		kickoff({}),
		crew('Status', 'getStatus', {
			wait: 'end',
			resumeAmount: 90,
			resumeUnit: 'minutes',
			options: {
				hold: true,
				pollInterval: 1,
				stopOnCancel: false,
				simplify: false,
				maxParallel: 1,
			},
		}),
	]),
	savedWorkflow('get-status-once', [
		manual,
		kickoff({ wait: 'end' }),
		crew('Status', 'getStatus', { kickoffId: '={{ $("Kickoff").item.json.kickoff_id }}' }),
	]),
	savedWorkflow('resume-reject', [
		manual,
		ask,
		asking(
			crew('Resume', 'resume', {
				decision: 'reject',
				humanFeedback: 'With more honey',
				wait: 'end',
				resumeAmount: 45,
				resumeUnit: 'seconds',
				callbacks: 'none',
				options: {
					maxParallel: 1,
					hold: true,
					pollInterval: 1,
					simplify: false,
					stopOnCancel: true,
				},
			}),
		),
	]),
	savedWorkflow('resume-own-urls', [
		manual,
		ask,
		asking(
			crew('Resume', 'resume', {
				kickoffId: '={{ $("Kickoff").item.json.kickoff_id }}',
				taskId: '={{ $("Kickoff").item.json.task_id }}',
				decision: '={{ "Approved" }}',
				humanFeedback: '=Good: {{ $json.status }}',
				wait: 'no',
				callbacks: 'custom',
				callbackUrls: { crewWebhookUrl: `${N8N}/webhook/nobody?callback=crew` },
			}),
		),
	]),
	savedWorkflow('resume-trigger', [
		manual,
		ask,
		asking(
			crew('Resume', 'resume', {
				decision: 'approve',
				wait: 'no',
				callbacks: 'trigger',
				triggerUrl: `${N8N}/webhook/nobody/webhook`,
				triggerEvents: ['task', 'stream'],
				options: { streamEvents: ['task_completed'] },
			}),
		),
	]),
	savedWorkflow('resume-same-waiting', [
		manual,
		asking(
			crew('Kickoff', 'kickoff', {
				...article,
				callbacks: 'custom',
				callbackUrls: { taskWebhookUrl: `${N8N}/webhook/nobody?callback=task` },
			}),
		),
		asking(
			crew('Resume', 'resume', {
				decision: 'approve',
				sameCallbacks: '={{ $("Kickoff").item.json.callbacks }}',
				wait: 'end',
				options: { noticeBy: 'callback' },
			}),
		),
	]),
	savedWorkflow('stop', [
		manual,
		kickoff({ inputsJson: '{"topic": "bees", "duration": 3600000}' }),
		crew('Stop', 'stop', { options: { maxParallel: 5 } }),
	]),
	savedWorkflow('tool', [
		{
			...crew('Crew Tool', 'kickoff', {
				specifyInputs: 'json',
				inputsJson: `={{ JSON.stringify({ topic: $fromAI('topic', 'What about', 'string'), duration: 20 }) }}`,
				wait: 'end',
			}),
			type: 'n8n-nodes-crew.crewTool',
		},
	]),
	savedWorkflow('trigger', [
		trigger({
			events: ['crew', 'human_input', 'step', 'task'],
			options: { confirmWithCrew: false, splitEvents: true },
		}),
	]),
	savedWorkflow('trigger-usual', [trigger({})]),
	savedWorkflow('trigger-stream', [
		trigger({
			events: ['stream'],
			options: {
				confirmWithCrew: true,
				eventTypes: EVENT_TYPES,
				splitEvents: false,
			},
		}),
	]),
];

function node(name: string, type: string, parameters: Parameters, typeVersion = 1): INode {
	return { id: '', name, type, typeVersion, position: [0, 0], parameters };
}

function crew(name: string, operation: string, parameters: Parameters): INode {
	return {
		...node(name, 'n8n-nodes-crew.crew', { operation, ...parameters }),
		credentials: { crewApi: { id: '', name: 'Crew' } },
	};
}

/** The same with the crew that asks a person. */
function asking(one: INode): INode {
	return { ...one, credentials: { crewApi: { id: '', name: 'Crew that asks a person' } } };
}

function trigger(parameters: Parameters): INode {
	return {
		...node('Crew Trigger', 'n8n-nodes-crew.crewTrigger', parameters, 2),
		webhookId: 'new',
		credentials: { crewApi: { id: '', name: 'Crew' } },
	};
}

/** A resource mapper as the panel saves it for a crew with these inputs. */
function mapper(mappingMode: string, value: object | null): NodeParameterValueType {
	const field = (id: string, type: string, required: boolean) => ({
		id,
		displayName: id,
		required,
		defaultMatch: false,
		display: true,
		type,
	});
	const schema = [
		field('topic', 'string', true),
		field('duration', 'number', true),
		field('failure', 'string', false),
	];
	return { mappingMode, value, schema } as unknown as NodeParameterValueType;
}
