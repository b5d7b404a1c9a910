import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify';
import type { Brief } from '../domain/brief';
import { isFlow, type CrewDescription } from '../domain/crew';
import { hasEnded, type Execution } from '../domain/execution';
import type { CallbackTargets } from '../domain/targets';
import {
	answers,
	deleteAnswer,
	inputsAnswer,
	kickoffAnswer,
	resumeAnswer,
	stopAnswer,
	stopRefusals,
} from './answerSchemas';
import type { Aspects } from './aspects';
import { whoAsks } from './bearer';
import {
	answer,
	kickoff,
	lookUp,
	lookUpBrief,
	stop,
	type AnswerOutcome,
	type Services,
} from './commands';
import { addEventStream } from './eventStream';
import { normalizeDecision, normalizeKickoff, normalizeResume } from './normalizeBody';
import { inputsBody } from './inputsBody';
import { kickoffKeyOf, kickoffKeySchema, otherBody, tellOfKeys } from './kickoffKey';
import { AdmissionQueue, type AdmissionSettings } from './admissionQueue';
import { refuseStrayOutputFile } from './outputFile';
import { HttpError, unknownExecution } from './httpError';
import {
	kickoffIdSchema,
	kickoffSchema,
	platformResumeSchema,
	resumeSchema,
	type KickoffIdPath,
} from './schemas';
import { queueState } from './statusBody';
import { addStatus } from './statusRoute';
import { targetsOf } from './targets';

interface KickoffBody extends CallbackTargets {
	inputs: Record<string, unknown>;
	restoreFromStateId?: string;
	meta?: Record<string, unknown>;
}

interface ResumeBody extends CallbackTargets {
	execution_id: string;
	task_id: string;
	question_id?: string;
	human_feedback: string;
	is_approve: boolean;
}

/** What the routes need. */
export interface Deployment extends Services, AdmissionSettings {
	aspects: Aspects;
	/** Milliseconds after which an event stream sends a sign of life. */
	heartbeat: number;
	/** Called for each execution that is started. */
	onKickoff: () => void;
}

/** The endpoints of the specification, and the vendor's stop endpoint. */
export function addCrewRoutes(app: FastifyInstance, given: Deployment): void {
	const { aspects } = given;
	const crew = crewOf(given);
	const deployment = { ...given, crew };
	const schema = {
		summary: 'The inputs that the crew expects',
		response: answers(200, inputsAnswer(aspects), aspects),
	};
	const options = { schema, onRequest: tellOfKeys(aspects) };
	app.get('/inputs', options, () => inputsBody(crew.inputs, aspects));
	addKickoff(app, deployment);
	addStatus(app, deployment);
	addEventStream(app, {
		...deployment,
		find: (request, kickoffId) => findBrief(deployment, kickoffId, request),
	});
	addResume(app, deployment);
	addStop(app, deployment);
	addDelete(app, deployment);
}

/** The crew as clients see it: some deployments run a flow without inputs, with the defaults of its state. */
function crewOf({ crew, aspects }: Deployment): CrewDescription {
	if (aspects.flowInputs === 'declared' || !isFlow(crew)) return crew;
	const id = { name: 'id', type: 'string' } as const;
	const inputs = [...(crew.declaresId ? [id] : []), ...crew.inputs];
	return { ...crew, inputs: inputs.map((input) => ({ ...input, required: false })) };
}

function addKickoff(app: FastifyInstance, deployment: Deployment): void {
	const { crew, aspects } = deployment;
	const schema = {
		summary: 'Starts an execution',
		...(aspects.kickoffKeys === 'kept' ? { headers: kickoffKeySchema } : {}),
		body: kickoffSchema(crew),
		response: answers(aspects.kickoffStatus, kickoffAnswer(aspects), aspects),
	};
	const preValidation = reading((body) => normalizeKickoff(body, crew.inputs));
	const options = { schema, preValidation, onRequest: tellOfKeys(aspects) };
	const admissionQueue = new AdmissionQueue(deployment);
	app.post<{ Body: KickoffBody }>('/kickoff', options, async (request, reply) => {
		const once = kickoffKeyOf(request, whoAsks(request), aspects);
		const { inputs, meta } = request.body;
		refuseStrayOutputFile(crew, inputs);
		const restoredFrom = await stateToRestore(deployment, request);
		const order = {
			owner: whoAsks(request),
			inputs,
			restoredFrom,
			traceparent: traceparentOf(request),
			meta,
			callbacks: targetsOf(request.body, aspects),
			extension: request.getDecorator('extension'),
		};
		const started = await admissionQueue.enter(() => kickoff(deployment, order, once));
		if (started === 'other_body') throw otherBody();
		if (started.isNew) deployment.onKickoff();
		return reply.code(aspects.kickoffStatus).send({ [aspects.kickoffIdField]: started.kickoffId });
	});
}

/** The identifier of the state that a kickoff asks for, which is the first identifier of that execution. */
async function stateToRestore(
	deployment: Deployment,
	request: FastifyRequest<{ Body: KickoffBody }>,
): Promise<string | undefined> {
	const { crew, aspects } = deployment;
	const { restoreFromStateId: id } = request.body;
	if (id === undefined) return undefined;
	const source = crew.persists ? await findIfThere(deployment, id, request) : undefined;
	if (source?.tasks.some(({ state }) => state === 'completed')) {
		return source.begunAs ?? source.kickoffId;
	}
	if (aspects.unknownState === 'ignored') return undefined;
	if (crew.persists) {
		const advice = 'give the kickoff_id of an earlier execution that is still kept here';
		throw new HttpError(404, `There is no state of "${id}" to restore: ${advice}`);
	}
	const message = `is for flows with @persist, and ${crew.name} keeps no state: leave it out`;
	throw new HttpError(400, `restoreFromStateId ${message}`, [
		{ path: ['body', 'restoreFromStateId'], message, isMissing: false },
	]);
}

/** The caller's span, if it sends a valid one. */
function traceparentOf({ headers }: FastifyRequest): string | undefined {
	const { traceparent } = headers;
	const isOne = typeof traceparent === 'string' && /^00(-[\da-f]+){3}$/.test(traceparent);
	return isOne && traceparent.length === 55 ? traceparent : undefined;
}

/** Reads a body before its schema is applied. */
function reading(read: (body: unknown) => unknown): preValidationHookHandler {
	return (request, _reply, done) => {
		request.body = read(request.body);
		done();
	};
}

function addResume(app: FastifyInstance, deployment: Deployment): void {
	const { aspects } = deployment;
	const hasNewId = aspects.resume === 'new-id';
	const schema = {
		summary: "Resumes an execution with a person's feedback on a task's output",
		body: hasNewId ? platformResumeSchema : resumeSchema,
		response: answers(200, resumeAnswer(aspects), aspects),
	};
	const options = hasNewId
		? { schema, preValidation: reading(normalizeDecision), preHandler: reading(normalizeResume) }
		: { schema, preValidation: reading(normalizeResume) };
	app.post<{ Body: ResumeBody }>('/resume', options, async (request) => {
		const { execution_id, task_id, question_id, human_feedback, is_approve } = request.body;
		// The platform always returns a new one, even if nothing continues under it.
		const newId = hasNewId ? randomUUID() : undefined;
		const wanted = { kickoffId: execution_id, owner: whoAsks(request) };
		const outcome = await answer(deployment, wanted, {
			taskId: task_id,
			...(question_id === undefined ? {} : { questionId: Number(question_id) }),
			feedback: human_feedback,
			isApprove: is_approve,
			callbacks: targetsOf(request.body, aspects),
			newId,
		});
		return newId === undefined ? resumeBody(outcome, task_id) : { kickoff_id: newId };
	});
}

function resumeBody(status: AnswerOutcome, taskId: string): Record<string, unknown> {
	switch (status) {
		case 'unknown_execution':
			throw unknownExecution();
		case 'unknown_task':
			throw new HttpError(404, 'Task not found');
		case 'not_waiting':
			throw new HttpError(400, 'The execution is not waiting for human input on this task');
		case 'resumed':
			return { status, message: 'The execution goes on with the next task.' };
		case 'retrying':
			return { status, message: `Task ${taskId} runs again with the feedback.` };
		case 'failed':
			// The API has no other word for what follows a rejection.
			return {
				status: 'retrying',
				message: `Task ${taskId} does not run again: the execution has failed.`,
			};
		case 'completed':
			return { status, message: 'That was the last task: the execution has completed.' };
	}
}

function addStop(app: FastifyInstance, deployment: Deployment): void {
	const { aspects } = deployment;
	const schema = {
		summary: 'Stops a running execution',
		params: kickoffIdSchema,
		response: answers(200, stopAnswer, aspects, stopRefusals(aspects)),
	};
	app.post<{ Params: KickoffIdPath }>('/stop/:kickoff_id', { schema }, async (request, reply) => {
		const wanted = { kickoffId: request.params.kickoff_id, owner: whoAsks(request) };
		const { execution, isStopped } = await stop(deployment, wanted);
		if (!execution) throw unknownExecution();
		if (isStopped) return { status: 'stopped', kickoffId: execution.kickoffId };
		// The vendor documents this body for all deployments, whatever their other bodies look like.
		const detail = `Cannot stop execution. Current state: ${queueState(execution)}`;
		return reply.code(400).send({ detail });
	});
}

function addDelete(app: FastifyInstance, deployment: Deployment): void {
	const { aspects, log, store } = deployment;
	const schema = {
		summary: 'Deletes everything about an execution that has ended',
		params: kickoffIdSchema,
		response: answers(200, deleteAnswer, aspects),
	};
	app.delete<{ Params: KickoffIdPath }>('/:kickoff_id', { schema }, async (request) => {
		const execution = await findBrief(deployment, request.params.kickoff_id, request);
		if (!hasEnded(execution))
			throw new HttpError(409, 'The execution has not ended: stop it first');
		const { kickoffId } = execution;
		await store.forget(kickoffId);
		log.info({ kickoff_id: kickoffId }, 'deleted');
		return { status: 'deleted', kickoffId };
	});
}

async function findBrief(
	deployment: Deployment,
	kickoffId: string,
	request: FastifyRequest,
): Promise<Brief> {
	const stored = await lookUpBrief(deployment, { kickoffId, owner: whoAsks(request) });
	if (!stored) throw unknownExecution();
	return stored.brief;
}

async function findIfThere(
	deployment: Deployment,
	kickoffId: string,
	request: FastifyRequest,
): Promise<Execution | undefined> {
	return (await lookUp(deployment, { kickoffId, owner: whoAsks(request) }))?.execution;
}
