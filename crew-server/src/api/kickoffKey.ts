import { createHash } from 'node:crypto';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';

import type { Owner } from '../domain/execution';
import { KEPT_KEYS } from '../store/kickoffKeys';
import type { KickoffKey } from '../store/store';
import type { Aspects } from './aspects';
import { HttpError } from './httpError';

const LONGEST_KEY = 255;

/** The header of a kickoff that may be sent twice, e.g. by a load balancer. */
export const kickoffKeySchema = {
	type: 'object',
	properties: {
		'idempotency-key': {
			type: 'string',
			minLength: 1,
			maxLength: LONGEST_KEY,
			description: 'For a day, a kickoff with the same key and the same body starts nothing new',
		},
	},
};

/** Adds how many seconds keys are kept: a client that reads this can repeat an unanswered kickoff. */
export function tellOfKeys({ kickoffKeys }: Aspects): onRequestHookHandler {
	return (_request, reply, done) => {
		if (kickoffKeys === 'kept') {
			void reply.header('idempotency-key-kept', String(KEPT_KEYS / 1_000));
		}
		done();
	};
}

/** The key by which a kickoff is recognized; each token has its own keys. */
export function kickoffKeyOf(
	request: FastifyRequest,
	owner: Owner,
	{ kickoffKeys }: Aspects,
): KickoffKey | undefined {
	const { 'idempotency-key': key } = request.headers;
	if (kickoffKeys === 'ignored' || typeof key !== 'string') return undefined;
	// The body as it was sent: servers with other versions of the crew may read it differently.
	const text = request.getDecorator<string>('text');
	const digest = createHash('sha256').update(text).digest('base64url');
	return { key: `${owner} ${key}`, digest };
}

export function otherBody(): HttpError {
	const message = 'The Idempotency-Key belongs to a kickoff with another body';
	return new HttpError(422, `${message}: give each kickoff one of its own`);
}
