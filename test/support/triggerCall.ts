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

/** A request to the trigger's URL, and the trigger's settings. */
export interface TriggerCall extends WebhookCall {
	parameters?: Record<string, NodeParameterValueType>;
	/** `null` if the trigger has none. */
	credential?: Partial<typeof CREDENTIAL> | null;
	/** `manual` if the user listens in the editor; `webhook` by default. */
	mode?: 'webhook' | 'manual';
	/** Identifies the trigger; by default, each call is to a new one. */
	triggerId?: string;
}

export interface TriggerOutcome extends WebhookAnswer {
	/** The items that started an execution; `undefined` if none was started. */
	items?: Array<INodeExecutionData['json']>;
	/** The same in n8n's format. */
	sent?: INodeExecutionData[];
	/** Level and content of what the trigger wrote to n8n's log. */
	logged: unknown[][];
}

/** Sends a request to the trigger through n8n-core's own webhook context. */
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
