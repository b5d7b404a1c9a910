import type { Fault } from '../faults/fault';
import type { CallbackKind } from './kind';

/** A callback that has to be sent. */
export interface DueCallback {
	id: string;
	kickoffId: string;
	kind: CallbackKind;
	url: string;
	/** As the target asked for; absent where it asked for none. */
	authorization?: string;
	body: Record<string, unknown>;
	/** Larger for what was due later. */
	sequence: number;
	/** Faults that befall it. */
	faults?: Fault[];
}

/**
 * `due` until it was answered with 2xx (`delivered`) or no try is left (`given_up`); `lost` where a
 * fault has kept it from being sent.
 */
export type CallbackFate = 'due' | 'delivered' | 'given_up' | 'lost';

/** One try to deliver a callback: either an answer's status, or why there was none. */
export interface CallbackAttempt {
	/** Milliseconds since 1970. */
	at: number;
	status?: number;
	problem?: string;
}

/** A callback with what became of it. */
export interface CallbackRecord {
	id: string;
	kickoffId: string;
	kind: CallbackKind;
	url: string;
	headers: Record<string, string>;
	/** Where it is long and its fate is known, only `{ bytes }`: how long it was. */
	body: Record<string, unknown>;
	fate: CallbackFate;
	attempts: CallbackAttempt[];
	/** The last answer's status; absent where there was no answer. */
	status?: number;
	/** What went wrong at the last try; absent where it was answered with 2xx. */
	problem?: string;
}
