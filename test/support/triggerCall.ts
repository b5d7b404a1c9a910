import { WebhookContext } from 'n8n-core';
import type {
	INodeExecutionData,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	NodeParameterValueType,
} from 'n8n-workflow';
import { CrewTrigger } from '../../nodes/Crew/CrewTrigger.node';
import { additionalData, createWorkflow, CREDENTIAL } from './engine';

/** What a request to the trigger's URL brings; the body as an object, or as the text that was sent. */
export interface TriggerCall {
	body: unknown;
	parameters?: Record<string, NodeParameterValueType>;
	query?: Record<string, unknown>;
	headers?: Record<string, string>;
	credential?: Partial<typeof CREDENTIAL>;
}

export interface TriggerOutcome {
	/** The items that an execution was started with; `undefined` where none was started. */
	items?: Array<INodeExecutionData['json']>;
	/** The status of the answer that the trigger gave itself; 200 where it leaves that to n8n. */
	status: number;
	/** The answer's body. */
	answer: unknown;
}

/** Lets n8n-core's own webhook context bring a request to the trigger. */
export async function callTrigger(call: TriggerCall): Promise<TriggerOutcome> {
	const { parameters = {}, credential = {} } = call;
	const workflow = createWorkflow({ type: 'n8n-nodes-crew.crewTrigger', parameters }, []);
	const node = workflow.getNode('Crew')!;
	const outcome: TriggerOutcome = { status: 200, answer: undefined };
	const data = {
		...additionalData({ ...CREDENTIAL, ...credential }),
		httpRequest: requestOf(call),
		httpResponse: {
			status(code: number) {
				outcome.status = code;
				return this;
			},
			json(body: unknown) {
				outcome.answer = body;
			},
		},
	} as unknown as IWorkflowExecuteAdditionalData;
	const webhook = {
		webhookDescription: new CrewTrigger().description.webhooks![0],
	} as unknown as IWebhookData;
	const context = new WebhookContext(workflow, node, data, 'webhook', webhook, [], null);
	const response = await new CrewTrigger().webhook.call(context);
	if (response.noWebhookResponse !== true) outcome.answer = response.webhookResponse as unknown;
	return { ...outcome, items: response.workflowData?.[0]?.map(({ json }) => json) };
}

/** A request as n8n has read it: parsed by its content type, and the raw body beside it. */
function requestOf({ body, query = {}, headers = {} }: TriggerCall) {
	const raw = typeof body === 'string' ? body : JSON.stringify(body);
	const allHeaders = { 'content-type': 'application/json', ...headers };
	const isJson = allHeaders['content-type'].includes('json');
	return {
		body: isJson ? (JSON.parse(raw) as unknown) : raw,
		rawBody: Buffer.from(raw),
		headers: allHeaders,
		params: {},
		query,
	};
}
