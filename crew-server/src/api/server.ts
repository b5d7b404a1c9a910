import { randomUUID } from 'node:crypto';
import Fastify, {
	type FastifyError,
	type FastifyInstance,
	type FastifyPluginCallback,
	type FastifyReply,
	type FastifyRequest,
} from 'fastify';

import type { Owner } from '../domain/execution';
import type { Log } from '../log';
import { StoreUnavailable } from '../store/store';
import type { Tokens } from '../store/tokens';
import { ownerOf } from './bearer';
import { takeJsonOnly } from './jsonBody';
import { addMetrics, type MetricsSource } from './metrics';
import { addOpenApi } from './openapi';
import { httpErrorOf } from './validationErrors';
import { HttpError, errorAnswer, temporaryError } from './httpError';
import { addCrewRoutes, type Deployment } from './routes';
import { OPEN_TO_ALL, refuseStrangers } from './strangers';

export interface ServerSettings extends Deployment {
	tokens: Tokens;
	/** Bytes of the largest body that is accepted. */
	bodyLimit: number;
	/** Names under which browsers reach it, besides those of this machine. */
	publicHosts: readonly string[];
	/** Whether it is about to end. */
	isDraining: () => boolean;
	/** What `GET /metrics` returns. */
	metrics: MetricsSource;
	/** Plugins beside the API, which see all requests. */
	around?: readonly FastifyPluginCallback[];
	/**
	 * Plugins inside the API, which see requests with a valid token, before they are answered. What they set as `extension`
	 * is kept with the execution that the request starts.
	 */
	inside?: readonly FastifyPluginCallback[];
}

/** The header by which an answer can be found in the log. */
const REQUEST_ID = 'x-request-id';

/** Milliseconds in which a whole request must arrive, so that an unfinished one does not hold its connection forever. */
const WHOLE_REQUEST = 60_000;

/** The HTTP side of a deployment; it does not listen yet. */
export function buildServer(settings: ServerSettings): FastifyInstance {
	const app = Fastify({
		bodyLimit: settings.bodyLimit,
		genReqId: () => randomUUID(),
		requestTimeout: WHOLE_REQUEST,
		routerOptions: { ignoreTrailingSlash: true },
		frameworkErrors: (error, request, reply: FastifyReply) => {
			const httpError = new HttpError(400, `Invalid input format: ${error.message}`);
			const { statusCode, body } = errorAnswer(httpError, settings.aspects);
			reasons.set(reply, httpError.message);
			void reply.code(statusCode).header(REQUEST_ID, request.id).send(body);
			logAnswer(settings.log, request, reply);
		},
		// The answer lists what does not fit, and a text of all of it could be long.
		schemaErrorFormatter: () => new Error('It does not fit'),
		rewriteUrl: ({ method, url = '/' }) => withoutPrefix(method, url),
		// Idle keep-alive connections would delay the end.
		forceCloseConnections: 'idle',
		ajv: {
			customOptions: {
				coerceTypes: false,
				removeAdditional: false,
				allErrors: true,
				allowUnionTypes: true,
			},
		},
	});
	takeJsonOnly(app);
	answerErrors(app, settings);
	logRequests(app, settings.log);
	refuseStrangers(app, settings.publicHosts);
	for (const plugin of settings.around ?? []) void app.register(plugin);
	void app.register(async (documented) => {
		await addOpenApi(documented, settings.crew);
		addHealth(documented, settings);
		addApi(documented, settings);
	});
	return app;
}

/** Health checks: a server that listens has a crew that can run, as long as the store can be written. */
function addHealth(app: FastifyInstance, settings: ServerSettings): void {
	const { store, workProblem, isDraining } = settings;
	const problem = () => store.problem ?? workProblem();
	addProbe(app, '/health', ['healthy', 'unhealthy'], 'Whether the crew can be kicked off', problem);
	addProbe(
		app,
		'/ready',
		['ready', 'not ready'],
		'Whether a load balancer should send requests here',
		() => (isDraining() ? 'The server is shutting down' : problem()),
	);
}

function addProbe(
	app: FastifyInstance,
	path: string,
	[good, bad]: [string, string],
	summary: string,
	problem: () => string | undefined,
): void {
	const answer = (status: string, properties = {}) => ({
		type: 'object',
		properties: { status: { type: 'string', const: status }, ...properties },
		required: ['status', ...Object.keys(properties)],
		additionalProperties: false,
	});
	const schema = {
		summary: `${summary}; needs no token`,
		security: [],
		response: {
			200: { description: 'Success', ...answer(good) },
			503: {
				description: 'Not now',
				...answer(bad, { reason: { type: 'string' } }),
			},
		},
	};
	app.get(path, { schema, config: OPEN_TO_ALL }, (_request, reply) => {
		const reason = problem();
		if (reason === undefined) return { status: good };
		return reply.code(503).send({ status: bad, reason });
	});
}

/** Why requests were refused, for the log. */
const reasons = new WeakMap<FastifyReply, string>();

function logRequests(app: FastifyInstance, log: Log): void {
	app.addHook('onRequest', ({ id }, reply, done) => {
		void reply.header(REQUEST_ID, id);
		done();
	});
	app.addHook('onResponse', (request, reply, done) => {
		logAnswer(log, request, reply);
		done();
	});
}

function logAnswer(log: Log, request: FastifyRequest, reply: FastifyReply): void {
	const { statusCode: status, elapsedTime } = reply;
	const facts = {
		request_id: request.id,
		method: request.method,
		path: request.url.split('?')[0],
		status,
		ms: Math.round(elapsedTime),
		reason: reasons.get(reply),
	};
	log[status >= 400 ? 'info' : 'debug'](facts, status >= 400 ? 'refused' : 'answered');
}

/** The end of a path that is the API's or the page's. */
const OWN_PATH =
	/^\/[^?]*?(\/(?:inputs|kickoff|resume|health|ready|metrics|openapi\.json|page\/[^/?]+|(?:status|stop)\/[^/?]+|[^/?]+\/(?:status|events))\/?(?:\?.*)?)$/;

/** The end of the path by which an execution is deleted. */
const EXECUTION_PATH = /^\/[^?]*?(\/[\da-f-]{36}\/?(?:\?.*)?)$/i;

/** A path without the prefix that a proxy in front leaves there: `/crews/42/kickoff`, `//inputs`. */
function withoutPrefix(method: string | undefined, url: string): string {
	const path = method === 'DELETE' ? EXECUTION_PATH : OWN_PATH;
	return path.exec(url)?.[1] ?? url;
}

function addApi(app: FastifyInstance, settings: ServerSettings): void {
	void app.register((crew, _options, done) => {
		// The schemas of answers are only for the document: a body is sent as it is.
		crew.setSerializerCompiler(() => (body) => JSON.stringify(body));
		requireToken(crew, settings.tokens);
		passOverTypes(crew);
		crew.decorateRequest('extension', undefined);
		for (const plugin of settings.inside ?? []) void crew.register(plugin);
		addCrewRoutes(crew, settings);
		addMetrics(crew, settings);
		done();
	});
}

/** A body without a type counts as JSON, as in web frameworks; without a body, the type does not matter. */
function passOverTypes(app: FastifyInstance): void {
	app.addHook('onRequest', ({ headers }, _reply, done) => {
		const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
		const isEmpty = length === '0' && encoding === undefined;
		if (isEmpty || !headers['content-type']) headers['content-type'] = 'application/json';
		done();
	});
}

function requireToken(app: FastifyInstance, tokens: Tokens): void {
	app.decorateRequest('owner', undefined as unknown as Owner);
	app.addHook('onRequest', (request, reply, done) => {
		const owner = ownerOf(request.headers.authorization, tokens);
		if (owner === undefined) {
			void reply.header('www-authenticate', 'Bearer');
			const sort = request.headers.authorization ? undefined : 'no_token';
			done(new HttpError(401, 'Invalid Bearer token', [], sort));
			return;
		}
		request.setDecorator('owner', owner);
		done();
	});
}

/** Seconds after which the store may work again. */
const RETRY_AFTER = 5;

function httpErrorOfStore(error: Error): HttpError | undefined {
	if (!(error instanceof StoreUnavailable)) return undefined;
	const advice = 'nothing was done, so try again later';
	const message = `The crew server cannot read or write its data now: ${advice}`;
	return temporaryError(503, message, RETRY_AFTER);
}

function answerErrors(app: FastifyInstance, { aspects, log, tokens }: ServerSettings): void {
	app.setErrorHandler<FastifyError | HttpError>((error, { id: request_id }, reply) => {
		// Otherwise, a client that is still sending a body that is too large would lose its connection before it sees the answer.
		void reply.removeHeader('connection');
		const known =
			error instanceof HttpError ? error : (httpErrorOfStore(error) ?? httpErrorOf(error));
		if (error instanceof StoreUnavailable)
			log.error({ request_id, err: error }, 'store_unavailable');
		// Of our own faults, clients only learn that there was one.
		if (!known) log.error({ request_id, err: error }, 'internal_error');
		const httpError = known ?? new HttpError(500, 'The crew server failed: see its log');
		if (httpError.retryAfter !== undefined) void reply.header('retry-after', httpError.retryAfter);
		const missing = httpError.validationErrors.filter(({ isMissing }) => isMissing);
		const names = missing.map(({ path }) => path.slice(1).join('.'));
		reasons.set(
			reply,
			[httpError.message, ...(names.length > 0 ? [names.join(', ')] : [])].join(': '),
		);
		const { statusCode, body } = errorAnswer(httpError, aspects);
		return reply.code(statusCode).send(body);
	});
	const answerUnknownPath = (_request: FastifyRequest, reply: FastifyReply) => {
		reasons.set(reply, 'There is no such path');
		const { statusCode, body } = errorAnswer(new HttpError(404, 'Not Found'), aspects);
		return reply.code(statusCode).send(body);
	};
	app.setNotFoundHandler(answerUnknownPath);
	// Without a token, no body is read, at whatever path.
	app.addHook('preParsing', async (request, reply) => {
		if (!request.is404 || ownerOf(request.headers.authorization, tokens)) return;
		await answerUnknownPath(request, reply);
	});
}
