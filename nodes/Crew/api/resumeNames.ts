import type { JsonRecord } from '../model/json';
import type { CrewResponse } from './exchange';
import { remember } from './remember';

/** How a deployment names the fields of a resume: as the specification does, and otherwise. */
const OTHER_NAMES = {
	execution_id: 'executionId',
	task_id: 'taskId',
	human_feedback: 'humanFeedback',
	is_approve: 'isApprove',
} as const;
type ResumeNames = 'documented' | 'other';

/** What a deployment asks for if it knows the fields by these names and was sent the others. */
const ASKED_FOR: Record<ResumeNames, RegExp> = {
	documented: /\b(execution_id|task_id)\b/,
	other: /\b(executionId|taskId)\b/,
};

/** Which names worked, per base URL, for as long as n8n runs; the specification's by default. */
const knownNames = new Map<string, ResumeNames>();

/**
 * Sends a resume with the names that this deployment took before, else with the specification's. A 422
 * that asks for fields by their other names proves that nothing has happened: the same is sent once
 * more with those.
 */
export async function requestResume(
	baseUrl: string,
	body: JsonRecord,
	post: (body: JsonRecord) => Promise<CrewResponse>,
): Promise<CrewResponse> {
	const first = knownNames.get(baseUrl) ?? 'documented';
	const answer = await post(named(body, first));
	const second = first === 'documented' ? 'other' : 'documented';
	if (!asksFor(second, answer)) return answer;
	const next = await post(named(body, second));
	if (!asksFor(first, next)) remember(knownNames, baseUrl, second);
	return next;
}

function named(body: JsonRecord, names: ResumeNames): JsonRecord {
	if (names === 'documented') return body;
	const others: Readonly<Record<string, string>> = OTHER_NAMES;
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [others[name] ?? name, value]),
	);
}

/** Whatever the shape of the refusal. */
function asksFor(names: ResumeNames, { status, body, text }: CrewResponse): boolean {
	if (status !== 422) return false;
	return ASKED_FOR[names].test(body === undefined ? text : JSON.stringify(body, withoutEchoes));
}

/** Frameworks repeat what they were sent, which is no wish for it. */
function withoutEchoes(name: string, value: unknown): unknown {
	return name === 'input' || name === 'value' ? undefined : value;
}
