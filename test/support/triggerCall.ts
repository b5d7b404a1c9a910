import { randomUUID } from 'node:crypto';
import { WebhookContext } from 'n8n-core';
import type {
	INodeExecutionData,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	NodeParameterValueType,
} from 'n8n-workflow';
import { CrewTrigger } from '../../nodes/Crew/CrewTrigger.node';
import { additionalData, createWorkflow, CREDENTIAL } from './engine';
import { webhookCall, type WebhookAnswer, type WebhookCall } from './webhookCall';

/** What a request to the trigger's URL brings, and how the trigger is set. */
export interface TriggerCall extends WebhookCall {
	parameters?: Record<string, NodeParameterValueType>;
	/** `null` if the trigger has none. */
	credential?: Partial<typeof CREDENTIAL> | null;
	/** `webhook` unless the user listens in the editor. */
	mode?: 'webhook' | 'manual';
	/** Tells one trigger from others; by default, each call is to a new one. */
	triggerId?: string;
}

export interface TriggerOutcome extends WebhookAnswer {
	/** The items that an execution was started with; `undefined` if none was started. */
	items?: Array<INodeExecutionData['json']>;
	/** The same as n8n takes them. */
	sent?: INodeExecutionData[];
	/** Level and content of what the trigger wrote to n8n's log. */
	logged: unknown[][];
}

/** Lets n8n-core's own webhook context bring a request to the trigger. */
export async function callTrigger(call: TriggerCall): Promise<TriggerOutcome> {
	const { parameters = {}, credential = {}, mode = 'webhook', triggerId = randomUUID() } = call;
	const workflow = createWorkflow({ type: 'n8n-nodes-crew.crewTrigger', parameters }, []);
	const node = workflow.getNode('Crew')!;
	node.id = triggerId;
	if (!credential) delete node.credentials;
	const { httpRequest, httpResponse, outcome } = webhookCall(call, 2);
	const data = {
		...additionalData({ ...CREDENTIAL, ...credential }),
		httpRequest,
		httpResponse,
	} as unknown as IWorkflowExecuteAdditionalData;
	const webhook = {
		webhookDescription: new CrewTrigger().description.webhooks![0],
	} as unknown as IWebhookData;
	const context = new WebhookContext(workflow, node, data, mode, webhook, [], null);
	const logged = recordLog(context);
	const response = await new CrewTrigger().webhook.call(context);
	if (response.noWebhookResponse !== true) outcome.answer = response.webhookResponse as unknown;
	const [sent] = response.workflowData ?? [];
	return { ...outcome, logged, sent, items: sent?.map(({ json }) => json) };
}

function recordLog(context: WebhookContext): unknown[][] {
	const logged: unknown[][] = [];
	const levels = ['debug', 'info', 'warn', 'error'].map((level) => [
		level,
		(...line: unknown[]) => logged.push([level, ...line]),
	]);
	Object.defineProperty(context, 'logger', { value: Object.fromEntries(levels) as unknown });
	return logged;
}
