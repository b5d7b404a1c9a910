import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { testCrewApi } from './n8n/credentialTest';
import { answeredWebhook } from './n8n/webhook';
import { receive } from './trigger/receive';
import { triggerFields, triggerPanel } from './trigger/triggerFields';

/** Starts a workflow when a crew reports a task, a step, its end, a question or an event. */
export class CrewTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Crew Trigger',
		name: 'crewTrigger',
		icon: { light: 'file:crew.svg', dark: 'file:crew.dark.svg' },
		group: ['trigger'],
		// For a node of version 1, n8n evaluates an expression on each call, and starts a sandbox for that
		// even if it is set to start one only when needed. `readUnreadBody` is what version 2 takes.
		version: 2,
		subtitle:
			'={{ [$parameter["events"] ?? []].flat().map((kind) => ({crew: "Crew Completed", human_input: "Human Input Requested", step: "Step", stream: "Event Stream", task: "Task Completed"}[kind] ?? kind)).join(", ") || "Everything" }}',
		// n8n's panel of nodes shows Crew and Crew Trigger as one entry, with this text.
		description:
			'Run crews of AI agents deployed on CrewAI, or on any service with the same API, and react to their callbacks (unofficial)',
		eventTriggerDescription: 'Waiting for the crew to call the test URL',
		triggerPanel,
		activationMessage: 'The crew’s callbacks to the production URL now start this workflow.',
		defaults: { name: 'Crew Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'crewApi', required: false, testedBy: 'testCrewApi' }],
		webhooks: [answeredWebhook('webhook')],
		properties: triggerFields,
	};

	methods = { credentialTest: { testCrewApi } };

	/** A crew is told its callback URLs at kickoff: there is nothing to register beforehand. */
	webhookMethods = {
		default: {
			checkExists: async () => await Promise.resolve(true),
			create: async () => await Promise.resolve(true),
			delete: async () => await Promise.resolve(true),
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}
}
