import { createHmac } from 'node:crypto';
import type { CallbackKind } from '../../nodes/Crew/model/callback';
import { runCrew, type CrewNode } from './engine';
import { idOf, WAIT, WaitingCrew, type StartBody } from './waitingCrew';

export const SECRET = 'a long random text';
const TRIGGER_ID = '1f3b0c52-8a3e-4c55-9f0e-2f1d3c4b5a69';
/** The URL of a Crew Trigger. */
export const TRIGGER = `https://n8n.example.com/webhook/${TRIGGER_ID}/webhook`;
/** All kinds of callbacks. */
export const ALL: CallbackKind[] = ['crew', 'human_input', 'step', 'stream', 'task'];

export const KICKOFF = { ...WAIT, wait: 'no' };
export const RESUME = {
	operation: 'resume',
	wait: 'no',
	kickoffId: idOf(0),
	taskId: 'write',
	decision: 'reject',
	humanFeedback: 'Shorter',
};

/** What a trigger expects, computed from the definition rather than by the node's own code. */
export const tokenOf = (kind: CallbackKind) =>
	createHmac('sha256', SECRET)
		.update(JSON.stringify(['n8n-nodes-crew', kind, `${TRIGGER_ID}/webhook`]))
		.digest('base64url');

/** Runs a node and returns the callback fields that it sent, and its item. */
export async function send(parameters: CrewNode['parameters'], item = {}, secret = SECRET) {
	const crew = new WaitingCrew();
	const { json, error } = await runCrew(
		{ parameters },
		{ items: [item], credential: { baseUrl: crew.baseUrl, callbackSecret: secret } },
	);
	return { fields: callbackFields([...crew.kickoffs, ...crew.resumes][0]), item: json[0], error };
}

function callbackFields(body: StartBody = {}): StartBody {
	const names = /webhook/i;
	const fields = Object.entries(body).filter(([name]) => names.test(name));
	return Object.fromEntries(fields);
}

/** Parameters that send these kinds to {@link TRIGGER}. */
export const toTrigger = (triggerEvents: string[], options = {}) => ({
	callbacks: 'trigger',
	triggerUrl: TRIGGER,
	triggerEvents,
	options: { n8nMeta: false, ...options },
});

/** The trigger's URL for a kind of callback, without a token. */
export const marked = (kind: CallbackKind, events = ALL.join('.')) =>
	`${TRIGGER}?callback=${kind}&events=${events}`;
