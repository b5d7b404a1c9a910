import type { CallbackAuthentication, CallbackKind, DueCallback } from '../domain/targets';
import type { CallbackAttempt, CallbackRecord, ClaimedCallback } from './store';

/** The beginning of what replaces a long body. */
export const SHORTENED = '{"bytes":';

export interface CallbackRow {
	seq: number;
	id: string;
	key: number;
	kickoff_id: string;
	kind: CallbackKind;
	url: string;
	authentication: string | null;
	body: string;
	/** The execution's `meta`, as a field of the body, unless the body already contains it. */
	meta: string | null;
	state: 'waiting' | 'due' | 'claimed' | 'delivered' | 'given_up';
	tries: number;
	attempts: string;
}

function wholeBody(body: string, meta: string | null): DueCallback['body'] {
	const parsed = JSON.parse(body) as DueCallback['body'];
	return meta === null ? parsed : { ...parsed, ...(JSON.parse(meta) as object) };
}

/** A damaged one must not affect the others: it is given up once it is claimed. */
export function claimedOf(row: CallbackRow): ClaimedCallback {
	const { id, kickoff_id: kickoffId, kind, url, authentication, body, meta, tries } = row;
	const known = { id, kickoffId, kind, url, tries };
	try {
		return {
			...known,
			...(authentication === null
				? {}
				: { authentication: JSON.parse(authentication) as CallbackAuthentication }),
			body: wholeBody(body, meta),
		};
	} catch (error) {
		return { ...known, body: {}, damage: `its data is damaged: ${(error as Error).message}` };
	}
}

export function recordOf({
	id,
	kickoff_id,
	kind,
	url,
	body,
	meta,
	state,
	attempts,
}: CallbackRow): CallbackRecord {
	return {
		id,
		kickoffId: kickoff_id,
		kind,
		url,
		body: shownBody(body, meta),
		fate: state === 'delivered' || state === 'given_up' ? state : 'due',
		attempts: attemptsOf(attempts),
	};
}

/** Of a damaged body, only its length is left to show. */
function shownBody(body: string, meta: string | null): CallbackRecord['body'] {
	try {
		return wholeBody(body, body.startsWith(SHORTENED) ? null : meta);
	} catch {
		return { bytes: body.length };
	}
}

/** None if they are damaged, which must not keep the callback from being settled. */
export function attemptsOf(attempts: string): CallbackAttempt[] {
	try {
		return JSON.parse(attempts) as CallbackAttempt[];
	} catch {
		return [];
	}
}
