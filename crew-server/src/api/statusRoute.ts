import type { FastifyInstance } from 'fastify';

import { answers, statusAnswer } from './answerSchemas';
import type { Aspects } from './aspects';
import { whoAsks } from './bearer';
import { lookUpBrief, lookUpTold, type Services } from './commands';
import { unknownExecution } from './httpError';
import { anyIdSchema, kickoffIdSchema, type KickoffIdPath } from './schemas';
import { briefStatusBody, NOT_FOUND, statusBody } from './statusBody';
import { tellQuestions } from './tellQuestions';

const STATUS_PATHS = [
	{ path: '/:kickoff_id/status', order: 'id-first', body: 'status' },
	{ path: '/status/:kickoff_id', order: 'status-first', body: 'state' },
] as const;

/** The two paths for the status. The deployment says which of them exist, and what they answer. */
export function addStatus(app: FastifyInstance, services: Services & { aspects: Aspects }): void {
	const { crew, aspects } = services;
	const { statusPath, statusBody: kinds, pauseWord } = aspects;
	for (const { path, order, body } of STATUS_PATHS) {
		if (statusPath !== 'both' && statusPath !== order) continue;
		const kind = kinds === 'by-path' ? body : kinds;
		const schema = {
			summary: 'The status of an execution, and its results',
			params: kind === 'platform' ? anyIdSchema : kickoffIdSchema,
			response: answers(200, statusAnswer(kind, pauseWord), aspects),
		};
		app.get<{ Params: KickoffIdPath }>(path, { schema }, async (request) => {
			const wanted = { kickoffId: request.params.kickoff_id, owner: whoAsks(request) };
			// The kind `status` tells texts in some states only.
			const stored = kind === 'status' ? await lookUpBrief(services, wanted) : undefined;
			const brief = stored && briefStatusBody(stored.brief, Date.now());
			if (brief) return brief;
			const execution = stored?.whole ?? (await lookUpTold(services, wanted));
			if (!execution && kind === 'platform') return NOT_FOUND;
			if (!execution) throw unknownExecution();
			await tellQuestions(services, execution);
			return statusBody(execution, crew, kind, pauseWord);
		});
	}
}
