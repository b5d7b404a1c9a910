/** What n8n's own API takes and returns. */
import type {
	ExecutionStatus,
	IConnections,
	INode,
	IRunExecutionData,
	IWorkflowSettings,
} from 'n8n-workflow';

/** A workflow as n8n exports and imports it. */
export interface WorkflowDefinition {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
}

export interface StoredWorkflow extends WorkflowDefinition {
	id: string;
	versionId: string;
	active: boolean;
	isArchived: boolean;
}

export interface ExecutionSummary {
	id: string;
	workflowId: string;
	status: ExecutionStatus;
	mode: string;
	/** Null while n8n has it queued. */
	startedAt: string | null;
	stoppedAt: string | null;
	/** Set while the execution is parked. */
	waitTill: string | null;
}

export interface Execution extends ExecutionSummary {
	data: IRunExecutionData;
}

export interface StoredCredential {
	id: string;
	name: string;
	type: string;
	/** When it was saved last. */
	updatedAt: string;
}

export interface CredentialTestResult {
	status: 'OK' | 'Error';
	message: string;
}
