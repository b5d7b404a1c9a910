import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { Owner } from '../domain/execution';
import { answers, statusAnswer } from './answerSchemas';
import type { Aspects } from './aspects';
import { lookUp, lookUpBrief, type Office } from './commands';
import { HttpError } from './httpError';
import { anyIdSchema, kickoffIdSchema } from './schemas';
import { briefStatusBody, NOT_FOUND, statusBody } from './statusBody';
import { tellQuestions } from './tellQuestions';

const STATUS_PATHS = [
	{ path: '/:kickoff_id/status', order: 'id-first', body: 'status' },
	{ path: '/status/:kickoff_id', order: 'status-first', body: 'state' },
] as const;

interface KickoffIdPath {
	kickoff_id: string;
}

/** The two paths by which the status is asked for; which there are, and what they tell, the deployment says. */
export function addStatus(
	app: FastifyInstance,
	office: Office & { aspects: Aspects },
	ownerOf: (request: FastifyRequest) => Owner,
): void {
	const { crew, aspects } = office;
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
			const wanted = { kickoffId: request.params.kickoff_id, owner: ownerOf(request) };
			const stored = await lookUpBrief(office, wanted);
			const brief = stored && briefStatusBody(stored.brief, kind);
			if (brief) return brief;
			// Only what tells texts has all of it read.
			const execution = stored?.whole ?? (await lookUp(office, wanted))?.execution;
			if (!execution && kind === 'platform') return NOT_FOUND;
			if (!execution) throw new HttpError(404, 'Execution not found');
			await tellQuestions(office, execution);
			return statusBody(execution, crew, kind, pauseWord);
		});
	}
}
