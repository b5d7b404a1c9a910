import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify';

import { targetsOf, type CallbackTargets } from '../callbacks/targets';
import type { CrewDescription } from '../crew/description';
import { strayOutputFile } from '../crew/outputFile';
import type { Aspects } from '../dialect';
import type { Executions } from '../executions/executions';
import type { ExecutionRecord, Owner } from '../executions/record';
import {
	answers,
	inputsAnswer,
	kickoffAnswer,
	resumeAnswer,
	statusAnswer,
	stopAnswer,
	stopRefusals,
} from './answerSchemas';
import { addEventStream } from './eventStream';
import { kickoffBodyOf, resumeBodyOf } from './givenBodies';
import { inputsBody } from './inputsBody';
import { Refusal } from './refusals';
import { faultsOfRequest } from './requestFaults';
import { kickoffIdSchema, kickoffSchema, resumeSchema } from './schemas';
import { queueState, statusBody } from './statusBody';

interface KickoffBody extends CallbackTargets {
	inputs: Record<string, unknown>;
	meta?: Record<string, unknown>;
}

interface ResumeBody extends CallbackTargets {
	execution_id: string;
	task_id: string;
	human_feedback: string;
	is_approve: boolean;
}

interface KickoffIdPath {
	kickoff_id: string;
}

/** What the routes speak for. */
export interface Deployment {
	crew: CrewDescription;
	aspects: Aspects;
	executions: Executions;
	/** Milliseconds after which an event stream shows that it is alive. */
	heartbeat: number;
}

/** The endpoints of the specification, and the vendor's stop endpoint. */
export function addCrewRoutes(app: FastifyInstance, deployment: Deployment): void {
	const { crew, aspects } = deployment;
	const schema = {
		summary: 'The inputs that the crew expects',
		response: answers(200, inputsAnswer(aspects), aspects),
	};
	app.get('/inputs', { schema }, () => inputsBody(crew.inputs, aspects));
	addKickoff(app, deployment);
	addStatus(app, deployment);
	addEventStream(app, {
		...deployment,
		find: (request, kickoffId) => findExecution(deployment.executions, kickoffId, request),
	});
	addResume(app, deployment);
	addStop(app, deployment);
}

function addKickoff(app: FastifyInstance, { crew, aspects, executions }: Deployment): void {
	const schema = {
		summary: 'Starts an execution',
		body: kickoffSchema(crew.inputs),
		response: answers(aspects.kickoffStatus, kickoffAnswer(aspects), aspects),
	};
	const preValidation = reading((body) => kickoffBodyOf(body, crew.inputs));
	const options = { schema, preValidation };
	app.post<{ Body: KickoffBody }>('/kickoff', options, async (request, reply) => {
		const { inputs, meta } = request.body;
		refuseStrayOutputFile(crew, inputs);
		const { kickoffId } = await executions.kickoff({
			owner: ownerOf(request),
			inputs,
			meta,
			callbacks: targetsOf(request.body),
			faults: faultsOfRequest(request),
		});
		return reply.code(aspects.kickoffStatus).send({ [aspects.kickoffIdField]: kickoffId });
	});
}

/** Has a body read before its schema is applied. */
function reading(read: (body: unknown) => unknown): preValidationHookHandler {
	return (request, _reply, done) => {
		request.body = read(request.body);
		done();
	};
}

function refuseStrayOutputFile(crew: CrewDescription, inputs: Record<string, unknown>): void {
	const stray = strayOutputFile(crew, inputs);
	if (!stray) return;
	const message = `leads the output file ${stray.outputFile} out of its folder`;
	throw new Refusal(422, `The input ${stray.input} ${message}`, [
		{ path: ['body', 'inputs', stray.input], message, isMissing: false },
	]);
}

const STATUS_PATHS = [
	{ path: '/:kickoff_id/status', order: 'id-first', body: 'status' },
	{ path: '/status/:kickoff_id', order: 'status-first', body: 'state' },
] as const;

function addStatus(app: FastifyInstance, { aspects, executions }: Deployment): void {
	const { statusPath, statusBody: wanted, pauseWord } = aspects;
	for (const { path, order, body } of STATUS_PATHS) {
		if (statusPath !== 'both' && statusPath !== order) continue;
		const kind = wanted === 'by-path' ? body : wanted;
		const schema = {
			summary: 'Where an execution stands, and its results',
			params: kickoffIdSchema,
			response: answers(200, statusAnswer(kind, pauseWord), aspects),
		};
		app.get<{ Params: KickoffIdPath }>(path, { schema }, async (request) => {
			const execution = await findExecution(executions, request.params.kickoff_id, request);
			return statusBody(execution, kind, pauseWord);
		});
	}
}

function addResume(app: FastifyInstance, { executions, aspects }: Deployment): void {
	const schema = {
		summary: "Takes a person's feedback on a task's output",
		body: resumeSchema,
		response: answers(200, resumeAnswer, aspects),
	};
	const options = { schema, preValidation: reading(resumeBodyOf) };
	app.post<{ Body: ResumeBody }>('/resume', options, async (request) => {
		const { execution_id, task_id, human_feedback, is_approve } = request.body;
		const execution = await findExecution(executions, execution_id, request);
		const status = await executions.resume(execution, {
			taskId: task_id,
			humanFeedback: human_feedback,
			isApprove: is_approve,
			callbacks: targetsOf(request.body),
			faults: faultsOfRequest(request),
		});
		switch (status) {
			case 'unknown_task':
				throw new Refusal(404, 'Task not found');
			case 'not_waiting':
				throw new Refusal(400, 'The execution is not waiting for human input on this task');
			case 'resumed':
				return { status, message: 'The execution goes on with the next task.' };
			case 'retrying':
				return { status, message: `Task ${task_id} is worked on again with the feedback.` };
			case 'completed':
				return { status, message: 'That was the last task: the execution is completed.' };
		}
	});
}

function addStop(app: FastifyInstance, { executions, aspects }: Deployment): void {
	const schema = {
		summary: 'Ends an execution that is under way',
		params: kickoffIdSchema,
		response: answers(200, stopAnswer, aspects, stopRefusals(aspects)),
	};
	app.post<{ Params: KickoffIdPath }>('/stop/:kickoff_id', { schema }, async (request, reply) => {
		const execution = await findExecution(executions, request.params.kickoff_id, request);
		if (await executions.stop(execution))
			return { status: 'stopped', kickoffId: execution.kickoffId };
		// The vendor documents this body for all deployments, whatever their other bodies look like.
		const detail = `Cannot stop execution. Current state: ${queueState(execution)}`;
		return reply.code(400).send({ detail });
	});
}

/** A user token reaches what was started with it; to it, all else does not exist. */
async function findExecution(
	executions: Executions,
	kickoffId: string,
	request: FastifyRequest,
): Promise<ExecutionRecord> {
	// An identifier in capitals is the same one: some languages write all UUIDs so.
	const execution = await executions.find(kickoffId.toLowerCase());
	const isVisible = ownerOf(request) === 'organisation' || execution?.owner === 'user';
	if (!execution || !isVisible) throw new Refusal(404, 'Execution not found');
	return execution;
}

function ownerOf(request: FastifyRequest): Owner {
	return request.getDecorator<Owner>('owner');
}
