import { parse } from 'flatted';
import type {
	ExecutionStatus,
	IDataObject,
	INode,
	IRunExecutionData,
	ResourceMapperFields,
} from 'n8n-workflow';
import type { N8nSession } from './n8n-session';
import type {
	CredentialTestResult,
	Execution,
	ExecutionSummary,
	StoredCredential,
	StoredWorkflow,
	WorkflowDefinition,
} from './n8n-types';
import { taskDataOf } from './run-data';
import { waitFor, type WaitForOptions } from './wait-for';

/** Statuses in which n8n does nothing more with an execution. */
const ENDED: ReadonlySet<ExecutionStatus> = new Set(['success', 'error', 'crashed', 'canceled']);

/** The most that n8n lists in one answer. */
const MOST_EXECUTIONS_AT_ONCE = '100';

const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';

/** What tests and the sandbox do with a running n8n, in the words of its editor. */
export class N8nApi {
	/** @param webhookUrl the address for webhooks, if another process than the session's receives them */
	constructor(
		readonly session: N8nSession,
		readonly webhookUrl: string = session.url,
	) {}

	async createCredential(
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<StoredCredential> {
		return (await this.send('POST', '/rest/credentials', { name, type, data })) as StoredCredential;
	}

	async updateCredential(
		{ id, name, type }: StoredCredential,
		data: Record<string, unknown>,
	): Promise<StoredCredential> {
		const body = { name, type, data };
		return (await this.send('PATCH', `/rest/credentials/${id}`, body)) as StoredCredential;
	}

	async deleteCredential({ id }: StoredCredential): Promise<void> {
		await this.send('DELETE', `/rest/credentials/${id}`);
	}

	async listCredentials(): Promise<StoredCredential[]> {
		return (await this.send('GET', '/rest/credentials')) as StoredCredential[];
	}

	/**
	 * What the editor shows after saving a credential with this content; nothing is stored.
	 *
	 * @param id of the credential that is edited: n8n 1.x tests only stored ones
	 */
	async testCredential(
		type: string,
		data: Record<string, unknown>,
		id = '',
	): Promise<CredentialTestResult> {
		const credentials = { id, name: 'Test', type, data };
		return (await this.send('POST', '/rest/credentials/test', {
			credentials,
		})) as CredentialTestResult;
	}

	/** The fields that a resource mapper parameter shows, as the editor asks for them. */
	async resourceMapperFields(
		node: Pick<INode, 'type' | 'typeVersion' | 'parameters' | 'credentials'>,
		methodName: string,
		path: string,
	): Promise<ResourceMapperFields> {
		return (await this.send('POST', '/rest/dynamic-node-parameters/resource-mapper-fields', {
			methodName,
			path: `parameters.${path}`,
			nodeTypeAndVersion: { name: node.type, version: node.typeVersion },
			currentNodeParameters: node.parameters,
			credentials: node.credentials,
		})) as ResourceMapperFields;
	}

	async createWorkflow(workflow: WorkflowDefinition): Promise<StoredWorkflow> {
		// Only n8n 1.x needs to be told that a new workflow is not active.
		const body = { active: false, settings: { executionOrder: 'v1' }, ...workflow };
		return (await this.send('POST', '/rest/workflows', body)) as StoredWorkflow;
	}

	async updateWorkflow(id: string, workflow: WorkflowDefinition): Promise<StoredWorkflow> {
		const { name, nodes, connections, settings } = workflow;
		const body = { name, nodes, connections, settings };
		return (await this.send('PATCH', `/rest/workflows/${id}`, body)) as StoredWorkflow;
	}

	async getWorkflow(id: string): Promise<StoredWorkflow> {
		return (await this.send('GET', `/rest/workflows/${id}`)) as StoredWorkflow;
	}

	/** All but the archived ones. */
	async listWorkflows(): Promise<
		Array<Omit<StoredWorkflow, keyof WorkflowDefinition> & { name: string }>
	> {
		const all = (await this.send('GET', '/rest/workflows')) as StoredWorkflow[];
		return all.filter(({ isArchived }) => !isArchived);
	}

	/**
	 * Activates a workflow and waits until n8n really listens on its webhooks, which is a moment later. An active
	 * workflow is deactivated first: otherwise, n8n would replace its webhooks only after its answer, and for a moment
	 * not know them.
	 */
	async activateWorkflow({ id, versionId, nodes }: StoredWorkflow): Promise<void> {
		const urls = nodes.flatMap((node) => this.productionUrl(node) ?? []);
		const areListenedOn = async () => await Promise.all(urls.map(isListenedOn));
		if ((await areListenedOn()).includes(true)) {
			await this.deactivateWorkflow(id);
			const areAllGone = async () => !(await areListenedOn()).includes(true);
			await waitFor(`n8n to stop listening on ${urls.join(', ')}`, areAllGone);
		}
		await this.send('POST', `/rest/workflows/${id}/activate`, { versionId });
		await this.waitUntilListening({ nodes });
	}

	/** Waits until n8n listens on all webhooks of an active workflow, which is a moment after n8n itself is ready. */
	async waitUntilListening({ nodes }: Pick<StoredWorkflow, 'nodes'>): Promise<void> {
		const urls = nodes.flatMap((node) => this.productionUrl(node) ?? []);
		const areAllThere = async () => !(await Promise.all(urls.map(isListenedOn))).includes(false);
		await waitFor(`n8n to listen on ${urls.join(', ')}`, areAllThere);
	}

	async deactivateWorkflow(id: string): Promise<void> {
		await this.send('POST', `/rest/workflows/${id}/deactivate`);
	}

	/** Also deactivates it. */
	async archiveWorkflow(id: string): Promise<void> {
		await this.send('POST', `/rest/workflows/${id}/archive`);
	}

	/** n8n deletes only archived workflows. */
	async deleteWorkflow(id: string): Promise<void> {
		await this.archiveWorkflow(id);
		await this.send('DELETE', `/rest/workflows/${id}`);
	}

	/**
	 * Runs a workflow as its "Execute workflow" button does; returns the execution's id without waiting for it.
	 *
	 * @param start another trigger than the Manual Trigger, with its item
	 */
	async runWorkflow(
		workflow: StoredWorkflow,
		start?: { name: string; json: IDataObject },
	): Promise<string> {
		const { id, nodes } = workflow;
		const name = start?.name ?? nodes.find(({ type }) => type === MANUAL_TRIGGER)?.name;
		if (name === undefined) throw new Error(`Workflow ${id} has no Manual Trigger to start from`);
		const { executionId } = (await this.send('POST', `/rest/workflows/${id}/run`, {
			// n8n 1.x runs the workflow in the request, later versions the stored one.
			workflowData: workflow,
			triggerToStartFrom: { name, ...(start && { data: taskDataOf(start.json) }) },
		})) as { executionId: string };
		return executionId;
	}

	/** Listens on a trigger's test URL, as its "Listen for test event" button does. */
	async listenForTestEvent({ id, nodes: [trigger] }: StoredWorkflow): Promise<void> {
		await this.send('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger?.name },
		});
	}

	/**
	 * All executions, newest first, of one workflow or of all. Without a status in the filter, n8n lists at most 100
	 * that are queued or running.
	 */
	async listExecutions(
		filter: { workflowId?: string; status?: ExecutionStatus[] } = {},
	): Promise<ExecutionSummary[]> {
		// n8n sorts by start, but its cursor goes by ID: it lists executions that started out of order twice, or not at
		// all.
		const executions = new Map<string, ExecutionSummary>();
		let startedBefore: string | undefined;
		for (;;) {
			const results = await this.pageOfExecutions({ ...filter, startedBefore });
			const before = executions.size;
			for (const execution of results) executions.set(execution.id, execution);
			// "Before" includes the very moment, so that the last page has nothing new.
			if (executions.size === before) return [...executions.values()];
			startedBefore = results.at(-1)?.startedAt ?? undefined;
		}
	}

	/** The newest execution of a workflow, if there is one. */
	async newestExecution(workflowId: string): Promise<ExecutionSummary | undefined> {
		const [newest] = await this.pageOfExecutions({ workflowId }, '1');
		return newest;
	}

	private async pageOfExecutions(
		filter: object,
		limit = MOST_EXECUTIONS_AT_ONCE,
	): Promise<ExecutionSummary[]> {
		const query = new URLSearchParams({ filter: JSON.stringify(filter), limit });
		const page = await this.send('GET', `/rest/executions?${query.toString()}`);
		return (page as { results: ExecutionSummary[] }).results;
	}

	async getExecution(id: string): Promise<Execution> {
		const execution = (await this.send('GET', `/rest/executions/${id}`)) as ExecutionSummary & {
			data: string;
		};
		return { ...execution, data: parse(execution.data) as IRunExecutionData };
	}

	async stopExecution(id: string): Promise<void> {
		await this.send('POST', `/rest/executions/${id}/stop`);
	}

	/** Waits until an execution satisfies `condition`, by default until it has ended, and returns it with its data. */
	async waitForExecution(
		id: string,
		condition: (execution: Execution) => boolean = ({ status }) => ENDED.has(status),
		options: WaitForOptions = {},
	): Promise<Execution> {
		let last: Execution | undefined;
		return waitFor(
			`execution ${id}`,
			async () => {
				last = await this.getExecution(id);
				return condition(last) && last;
			},
			{ describe: () => `Its status is ${last?.status ?? 'unknown'}`, ...options },
		);
	}

	/** Waits until a workflow has at least `count` executions that have ended, newest first. */
	async waitForExecutionsOf(
		workflowId: string,
		count = 1,
		options: WaitForOptions = {},
	): Promise<Execution[]> {
		const ended = await waitFor(
			`${count} ended execution(s) of workflow ${workflowId}`,
			async () => {
				const executions = await this.listExecutions({ workflowId });
				const done = executions.filter(({ status }) => ENDED.has(status));
				return done.length >= count && done;
			},
			options,
		);
		return Promise.all(ended.map(({ id }) => this.getExecution(id)));
	}

	/** The URL that the editor shows as "Production URL" of a trigger that listens on one. */
	productionUrl({ type, webhookId, parameters }: INode): string | undefined {
		if (webhookId === undefined) return undefined;
		switch (type) {
			case 'n8n-nodes-crew.crewTrigger':
				return `${this.webhookUrl}/webhook/${webhookId}/webhook`;
			case 'n8n-nodes-base.webhook':
				return `${this.webhookUrl}/webhook/${parameters['path'] as string}`;
			case '@n8n/n8n-nodes-langchain.chatTrigger':
				return `${this.webhookUrl}/webhook/${webhookId}/chat`;
			case 'n8n-nodes-base.formTrigger':
				return `${this.webhookUrl}/form/${webhookId}`;
			default:
				return undefined;
		}
	}

	private send(method: string, path: string, body?: unknown): Promise<unknown> {
		return this.session.request(method, path, body);
	}
}

/** Whether n8n knows a webhook. A GET starts nothing: it shows a form, or n8n says that the webhook needs a POST. */
async function isListenedOn(url: string): Promise<boolean> {
	const answer = await fetch(url);
	return answer.ok || (await answer.text()).includes('POST request');
}
