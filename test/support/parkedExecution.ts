import { parse, stringify } from 'flatted';
import { WebhookContext, WorkflowExecute } from 'n8n-core';
import type {
	IRunExecutionData,
	IWebhookData,
	IWebhookResponseData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';
import nock from 'nock';
import { Crew } from '../../nodes/Crew/Crew.node';
import {
	createWorkflow,
	dataOf,
	N8N_URL,
	readRun,
	runCrew,
	type CrewNode,
	type EngineOptions,
	type EngineRun,
} from './engine';
import { webhookCall, type WebhookAnswer, type WebhookCall } from './webhookCall';

/** The answer to a call of the resume URL. */
export interface ResumeAnswer extends WebhookAnswer {
	/** How the execution continued, if the call ended the wait. */
	resumed?: EngineRun;
}

/**
 * An execution that waits in n8n's database. Besides n8n-core, this imitates what n8n's own `WaitingWebhooks`,
 * `webhook-helpers` and `WaitTracker` do with a stored execution (n8n 2.41.1).
 */
export class ParkedExecution {
	/** The execution's data in the form of the database. */
	private readonly stored: string;
	private isWaiting = true;
	/** How often n8n fails to continue although it should, because its database or its queue fails. */
	failures = 0;
	/** Whether it fails after it has stored that the execution is running. */
	failsLate = false;
	/** Whether n8n answers a call before it continues, as n8n 1 does. */
	answersAtOnce = false;
	/** Resolves once there is room for one more execution, if n8n limits how many run. */
	room: Promise<void> = Promise.resolve();
	/** The URLs that were called. */
	readonly calls: string[] = [];
	/** How often the node ended the wait, whether n8n could continue or not. */
	ends = 0;

	private constructor(
		private readonly node: CrewNode,
		private readonly options: EngineOptions,
		/** The run as n8n shows it while it waits. */
		readonly shown: EngineRun,
	) {
		this.stored = stringify(shown.run.data);
	}

	/** Runs the workflow, which has to park itself. */
	static async park(node: CrewNode, options: EngineOptions = {}): Promise<ParkedExecution> {
		// The node asks whether n8n can call itself.
		nock(options.n8nUrl ?? N8N_URL)
			.post(/^\/webhook-waiting\//)
			.reply(409, { message: 'The execution "execution-1" is running already.' });
		const shown = await runCrew(node, options);
		const parked = ParkedExecution.after(shown, node, options);
		if (parked) return parked;
		throw new Error(`The execution is not parked: ${JSON.stringify(shown.error ?? shown.json)}`);
	}

	/** The execution that a run has parked; `undefined` if it has ended. */
	static after(
		shown: EngineRun,
		node: CrewNode,
		options: EngineOptions,
	): ParkedExecution | undefined {
		return shown.run.status === 'waiting' ? new ParkedExecution(node, options, shown) : undefined;
	}

	/** The execution after it has continued and parked itself again. */
	parkedAgain(resumed: EngineRun | undefined): ParkedExecution {
		if (resumed?.run.status !== 'waiting') throw new Error('The execution is not parked again');
		return new ParkedExecution(this.node, this.options, resumed);
	}

	/** When n8n continues without a callback. */
	get waitTill(): Date {
		return this.shown.run.waitTill!;
	}

	/** Calls a URL below the execution's resume URL. */
	async call(url: string, { body, headers }: Omit<WebhookCall, 'query'>): Promise<ResumeAnswer> {
		this.calls.push(url);
		const data = parse(this.stored) as IRunExecutionData;
		const { pathname, searchParams } = new URL(url);
		const query = Object.fromEntries(searchParams);
		if (query.signature !== data.resumeToken) return { status: 401, answer: 'Invalid token' };
		if (!this.isWaiting) {
			const state = this.failsLate ? 'is running' : 'has finished';
			return { status: 409, answer: { message: `The execution ${state} already.` } };
		}
		const [webhook] = new Crew().description.webhooks!;
		const [, , , path = ''] = pathname.split('/');
		if (path !== webhook!.path) return { status: 404, answer: 'No matching webhook' };
		const [entry] = data.executionData!.nodeExecutionStack;
		entry!.node.disabled = true;
		data.waitTill = undefined;
		data.resultData.runData[data.resultData.lastNodeExecuted!]!.pop();
		const workflow = this.workflow();
		const { httpRequest, httpResponse, outcome } = webhookCall({ body, headers, query });
		const additionalData = {
			...dataOf(this.options),
			httpRequest,
			httpResponse,
		} as unknown as IWorkflowExecuteAdditionalData;
		const { workflowData, ...response }: IWebhookResponseData = await new Crew().webhook.call(
			new WebhookContext(
				workflow,
				workflow.getNode(data.resultData.lastNodeExecuted!)!,
				additionalData,
				'manual',
				{ webhookDescription: webhook } as unknown as IWebhookData,
				[],
				data,
			),
		);
		outcome.answer ??= response.webhookResponse as unknown;
		if (!workflowData) return outcome;
		this.ends++;
		entry!.data.main = workflowData;
		entry!.metadata = { ...entry!.metadata, forwardAllOutputs: true };
		if (this.answersAtOnce) httpResponse.json(outcome.answer);
		await this.room;
		const resumed = await this.goOn(workflow, data);
		if (resumed || this.answersAtOnce) httpResponse.json(outcome.answer);
		else httpResponse.status(500).json({ message: 'There was a problem executing the workflow' });
		return { ...outcome, resumed };
	}

	/** Lets n8n continue because the time is up. */
	async timeIsUp(): Promise<EngineRun> {
		const data = parse(this.stored) as IRunExecutionData;
		const resumed = await this.goOn(this.workflow(), data);
		if (!resumed) throw new Error('The execution has finished already');
		return resumed;
	}

	private workflow(): Workflow {
		return createWorkflow(this.node, this.options.items, this.options.rounds);
	}

	/** Only the first to claim a waiting execution continues it. */
	private async goOn(workflow: Workflow, data: IRunExecutionData): Promise<EngineRun | undefined> {
		if (!this.isWaiting || this.failures-- > 0) return undefined;
		this.isWaiting = false;
		if (this.failsLate) return undefined;
		const execution = new WorkflowExecute(dataOf(this.options), 'manual', data);
		return readRun(await execution.processRunExecutionData(workflow), this.node.name);
	}
}
