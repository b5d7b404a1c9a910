import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';

import { ownerOf, whoAsks } from '../api/bearer';
import { lookUp, lookUpBrief } from '../api/commands';
import { HttpError, unknownExecution } from '../api/httpError';
import type { CrewDescription } from '../domain/crew';
import type { Owner, Status } from '../domain/execution';
import { authenticationFor } from '../domain/targets';
import { packageVersion } from '../installation';
import type { Store, Stored, StoredBrief } from '../store/store';
import type { Tokens } from '../store/tokens';
import {
	callbackView,
	eventView,
	executionView,
	requestView,
	wholeText,
	type ShownRequest,
} from './view';
import type { CrewView, EventsView, ExecutionsView, LineView } from './wire';

/** What the page shows. */
export interface Showcase {
	crew: CrewDescription;
	store: Store;
	tokens: Tokens;
	/** The source of the log's lines. */
	lines: { of(kickoffId: string): readonly LineView[] };
	/** The source of the list of requests, if there is one, oldest first. */
	requests?: { requests(): readonly ShownRequest[] };
}

/** How many requests are listed. */
const LISTED_REQUESTS = 200;
/** How many events are read at once. */
const EVENTS_AT_ONCE = 2_000;
/** How many executions a list gets at once. */
const MOST_FOUND = 200;

const text = { type: 'string' } as const;
const number = { type: 'string', pattern: '^\\d{1,15}$' } as const;

/**
 * The routes that the page needs beyond the API, with the same tokens and rules: a user's token reaches only what was
 * started with it. They are not part of the API, and change with the page.
 */
export function addPageRoutes(showcase: Showcase): FastifyPluginCallback {
	return (app, _options, done) => {
		app.decorateRequest('owner', undefined as unknown as Owner);
		app.addHook('onRequest', (request, reply, next) => {
			void reply.header('cache-control', 'no-store');
			const owner = ownerOf(request.headers.authorization, showcase.tokens);
			if (owner === undefined) {
				next(new HttpError(401, 'Invalid Bearer token'));
				return;
			}
			request.setDecorator('owner', owner);
			next();
		});
		addCrew(app, showcase);
		addExecutions(app, showcase);
		addExecution(app, showcase);
		addEvents(app, showcase);
		addCallbacks(app, showcase);
		addRequests(app, showcase);
		done();
	};
}

function addCrew(app: FastifyInstance, { crew, requests }: Showcase): void {
	const { name, description, kind, warnings } = crew;
	const tasks = crew.tasks.map(({ name: task, agent, humanInput }) => ({
		name: task,
		agent,
		humanInput,
	}));
	app.get('/page/crew', (request): CrewView => {
		const owner = whoAsks(request);
		const hasRequests = requests !== undefined && owner === 'organisation';
		const version = packageVersion();
		return {
			name,
			description,
			kind,
			warnings,
			tasks,
			version,
			hasRequests,
			owner,
			now: Date.now(),
		};
	});
}

interface Found {
	limit?: string;
	before?: string;
	status?: Status;
	from?: string;
	to?: string;
	text?: string;
}

function addExecutions(app: FastifyInstance, { store }: Showcase): void {
	const isUnchanged = changesOf(app, store);
	const status = { enum: ['running', 'pending_human_input', 'completed', 'failed', 'stopped'] };
	const querystring = {
		type: 'object',
		properties: { limit: number, before: number, from: number, to: number, status, text },
	};
	const schema = { querystring };
	app.get<{ Querystring: Found }>('/page/executions', { schema }, async (request, reply) => {
		if (isUnchanged(request, reply)) return reply.code(304).send();
		const { limit = '50', before, from, to, ...asked } = request.query;
		const answer: ExecutionsView = {
			...(await store.find({
				...asked,
				limit: Math.max(1, Math.min(Number(limit), MOST_FOUND)),
				before: numberOf(before),
				from: numberOf(from),
				to: numberOf(to),
				owner: whoAsks(request) === 'user' ? 'user' : undefined,
			})),
			now: Date.now(),
		};
		return answer;
	});
}

function numberOf(given: string | undefined): number | undefined {
	return given === undefined ? undefined : Number(given);
}

/** Finds out whether nothing has changed since an earlier request, whose mark a request carries. */
function changesOf(app: FastifyInstance, store: Store) {
	const process = randomUUID();
	let changes = 0;
	const end = store.onChange(() => {
		changes += 1;
	});
	app.addHook('onClose', (_app, done) => {
		end();
		done();
	});
	return (request: FastifyRequest, reply: FastifyReply): boolean =>
		isMarked(request, reply, `${process}-${changes}`);
}

function isMarked({ headers }: FastifyRequest, reply: FastifyReply, mark: string): boolean {
	const etag = `"${mark}"`;
	void reply.header('etag', etag);
	return headers['if-none-match'] === etag;
}

interface OfExecution {
	id: string;
}

/** The schema of a request for something of an execution. */
function ofExecution(properties: Record<string, object> = {}) {
	const querystring = {
		type: 'object',
		required: ['id', ...Object.keys(properties)],
		properties: { id: text, ...properties },
	};
	return { schema: { querystring } };
}

function addExecution(app: FastifyInstance, showcase: Showcase): void {
	const { lines } = showcase;
	app.get<{ Querystring: OfExecution }>(
		'/page/execution',
		ofExecution(),
		async (request, reply) => {
			const { key, version, whole } = await findBrief(showcase, request, request.query.id);
			if (isMarked(request, reply, `${key}-${version}`)) return reply.code(304).send();
			const execution = whole ?? (await find(showcase, request, request.query.id)).execution;
			return executionView(execution, Date.now());
		},
	);
	app.get<{ Querystring: OfExecution & { of: string } }>(
		'/page/text',
		ofExecution({ of: text }),
		async (request) => {
			const { id, of } = request.query;
			const whole = wholeText((await find(showcase, request, id)).execution, of);
			if (whole === undefined) throw new HttpError(404, 'There is no such text');
			return { text: whole };
		},
	);
	app.get<{ Querystring: OfExecution }>('/page/log', ofExecution(), async (request) => {
		const { begunAs, kickoffId } = (await findBrief(showcase, request, request.query.id)).brief;
		return { lines: [...(begunAs === undefined ? [] : lines.of(begunAs)), ...lines.of(kickoffId)] };
	});
}

async function find(
	showcase: Showcase,
	request: FastifyRequest,
	kickoffId: string,
): Promise<Stored> {
	return orNotFound(await lookUp(showcase, { kickoffId, owner: whoAsks(request) }));
}

async function findBrief(
	showcase: Showcase,
	request: FastifyRequest,
	kickoffId: string,
): Promise<StoredBrief> {
	return orNotFound(await lookUpBrief(showcase, { kickoffId, owner: whoAsks(request) }));
}

function orNotFound<T>(found: T | undefined): T {
	if (found === undefined) throw unknownExecution();
	return found;
}

function addEvents(app: FastifyInstance, showcase: Showcase): void {
	const { store } = showcase;
	app.get<{ Querystring: OfExecution & { after: string } }>(
		'/page/events',
		ofExecution({ after: number }),
		async (request): Promise<EventsView> => {
			const { kickoffId } = (await findBrief(showcase, request, request.query.id)).brief;
			const events = await store.events(kickoffId, Number(request.query.after), EVENTS_AT_ONCE);
			return { events: events.map(eventView), hasMore: events.length === EVENTS_AT_ONCE };
		},
	);
	app.get<{ Querystring: OfExecution & { number: string } }>(
		'/page/event',
		ofExecution({ number }),
		async (request) => {
			const { id, number: wanted } = request.query;
			const { kickoffId } = (await findBrief(showcase, request, id)).brief;
			const [event] = await store.events(kickoffId, Number(wanted) - 1, 1);
			if (!event) throw new HttpError(404, 'There is no such event');
			return event;
		},
	);
}

function addCallbacks(app: FastifyInstance, showcase: Showcase): void {
	const { store } = showcase;
	app.get<{ Querystring: OfExecution }>('/page/callbacks', ofExecution(), async (request) => {
		const { key } = await findBrief(showcase, request, request.query.id);
		return { callbacks: (await store.callbacksOf(key)).map(callbackView) };
	});
	const body = {
		type: 'object',
		required: ['id', 'callback'],
		properties: { id: text, callback: text },
	};
	app.post<{ Body: OfExecution & { callback: string } }>(
		'/page/send-again',
		{ schema: { body } },
		async (request) => {
			const { id, callback } = request.body;
			const { key, execution } = await find(showcase, request, id);
			const wanted = (await store.callbacksOf(key)).find((one) => one.id === callback);
			if (!wanted) throw new HttpError(404, 'There is no such callback');
			const authentication = authenticationFor(execution.callbacks, wanted);
			if (await store.sendAgain(key, callback, authentication)) return { status: 'due' };
			throw new HttpError(
				400,
				'Only a callback that has failed, and is still stored whole, can be sent again',
			);
		},
	);
}

/** The requests of all clients, so a user's token is not enough. */
function addRequests(app: FastifyInstance, { requests }: Showcase): void {
	app.get('/page/requests', (request) => {
		if (!requests || whoAsks(request) !== 'organisation') throw new HttpError(404, 'Not Found');
		const listed = requests.requests().slice(-LISTED_REQUESTS).map(requestView);
		return { requests: listed.reverse() };
	});
}
