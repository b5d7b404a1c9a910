import type { CrewInput } from '../domain/crew';

/**
 * Turns what clients send into bodies for the schemas: `null` instead of an absent field, text instead of a number, other
 * names. What is wrong stays as it is, for the schema to judge.
 */

type Body = Record<string, unknown>;

/** The body of a kickoff of a crew with these inputs. It is changed in place, since it may be large. */
export function normalizeKickoff(given: unknown, expected: readonly CrewInput[]): unknown {
	if (!isBody(given)) return given;
	const body = withoutNulls(given);
	const { crewai_trigger_payload: payload, inputs = {} } = body;
	body['inputs'] = inputs;
	if (!isBody(inputs)) return body;
	Reflect.deleteProperty(body, 'crewai_trigger_payload');
	for (const { name, required, type } of expected) {
		if (!Object.hasOwn(inputs, name)) continue;
		const value = inputs[name];
		if (value === null && !required) Reflect.deleteProperty(inputs, name);
		else if (NUMERIC.includes(type) && isNumber(value, type)) inputs[name] = Number(value);
		else if (type === 'boolean' && isBoolean(value)) inputs[name] = value === 'true';
	}
	// Crews and flows with triggers take it as an input, whether a client sends it next to the inputs or in them.
	if (payload !== undefined) inputs['crewai_trigger_payload'] ??= payload;
	return body;
}

const NUMERIC = ['number', 'integer'];

/**
 * Whether it is a number, or text such as `"2026"`: the vendor's own document has all inputs as text, and a list of bare
 * names promises nothing else. A longer integer would become another one.
 */
function isNumber(value: unknown, type: CrewInput['type']): boolean {
	if (typeof value !== 'string' || !NUMBER.test(value.trim())) return false;
	return type !== 'integer' || Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER;
}

/** The same for `"true"` and `"false"`. */
function isBoolean(value: unknown): boolean {
	return value === 'true' || value === 'false';
}

const RESUME_FIELDS = {
	execution_id: 'executionId',
	task_id: 'taskId',
	question_id: 'questionId',
	human_feedback: 'humanFeedback',
	is_approve: 'isApprove',
};

/** The body of a resume. One client sends it in camelCase. */
export function normalizeResume(given: unknown): unknown {
	return renamed(given, RESUME_FIELDS);
}

/** The same, but only what a person said can be in either case; all other fields have only one name. */
export function normalizeDecision(given: unknown): unknown {
	const { execution_id, task_id, human_feedback, is_approve } = RESUME_FIELDS;
	const body = renamed(given, { human_feedback, is_approve });
	if (!isBody(body)) return body;
	// The schema only judges the names in camelCase.
	return { ...body, execution_id: body[execution_id], task_id: body[task_id] };
}

function renamed(given: unknown, names: Record<string, string>): unknown {
	if (!isBody(given)) return given;
	const body = withoutNulls(given);
	for (const [name, other] of Object.entries(names)) {
		if (body[name] === undefined && body[other] !== undefined) body[name] = body[other];
	}
	return body;
}

/** Fields whose content clients name themselves: a `null` there is a value. */
const OWN_WORLDS = ['inputs', 'meta', 'crewai_trigger_payload'];

/** @param body is changed, since it may have tens of thousands of fields */
function withoutNulls(body: Body): Body {
	for (const name in body) {
		const value = body[name];
		if (value === null) Reflect.deleteProperty(body, name);
		else if (isBody(value) && !OWN_WORLDS.includes(name)) withoutNulls(value);
	}
	return body;
}

/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function isBody(value: unknown): value is Body {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
