import fc from 'fast-check';
import { refusal, type Subject } from '../../nodes/Crew/api/errors';
import { readErrorBody } from '../../nodes/Crew/model/errorBody';
import { readExecution } from '../../nodes/Crew/model/execution';
import { readInputs } from '../../nodes/Crew/model/inputs';
import { asText, parseJson } from '../../nodes/Crew/model/json';
import { idProblem, readKickoffId } from '../../nodes/Crew/model/kickoff';
import { readResume } from '../../nodes/Crew/model/resume';
import { documentedMessage } from '../support/documentedMessages';
import { mutated } from './support/documents';
import { holds } from './support/property';
import { isTooMuch } from './support/size';
import { STATUS_WORDS } from './support/statusWords';
import { strangeJson, strangeText } from './support/strange';
import { ERRORS, INPUTS, KICKOFFS, RESUMES, STATUSES } from './support/wireDocuments';

const isText = (value: unknown) => typeof value === 'string';
const isFilled = (value: unknown) => isText(value) && value.trim() !== '';
const isNested = (value: unknown) => typeof value === 'object' && value !== null;
const isObject = (value: unknown) => isNested(value) && !Array.isArray(value);

/** What each field of a documented item may be. */
type Fields = Record<string, (value: unknown) => boolean>;

/** Expects a plain object with only documented fields, all with a value. */
function expectItem(item: object, required: string[], fields: Fields): void {
	expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
	expect(required.filter((name) => !Object.hasOwn(item, name))).toEqual([]);
	const wrong = Object.entries(item).filter(([name, value]) => fields[name]?.(value) !== true);
	expect(wrong.map(([name]) => name)).toEqual([]);
}

/** Expects that an answer that came over the wire can also be sent on. */
function expectSendable(read: unknown, answer: unknown): void {
	if (!isTooMuch(answer)) expect(isText(asText(read))).toBe(true);
}

const EXECUTION: Fields = {
	status: (value) => STATUS_WORDS.includes(value as string),
	output: isText,
	output_json: isNested,
	task_id: isFilled,
	task_output: isText,
	tasks: Array.isArray,
	progress: (value) => isObject(value) && Object.keys(value as object).length > 0,
	error: isText,
	execution_time: Number.isFinite,
	token_usage: (value) => isObject(value) && Object.values(value as object).every(Number.isFinite),
};

describe('any answer', () => {
	it('of GET /inputs is a list of inputs, or none', () => {
		const optional = (value: unknown) => value === undefined || isText(value);
		const fields = {
			name: isFilled,
			type: optional,
			required: (value: unknown) => value === undefined || typeof value === 'boolean',
			description: optional,
		};
		holds(mutated(INPUTS), (answer) => {
			const inputs = readInputs(answer);
			for (const input of inputs ?? []) expectItem(input, ['name'], fields);
			expect(new Set(inputs?.map(({ name }) => name)).size).toBe(inputs?.length ?? 0);
		});
	});

	it('of POST /kickoff has an ID, or none', () => {
		holds(mutated(KICKOFFS), (answer) => {
			const id = readKickoffId(answer);
			if (id !== undefined) expect(isFilled(id) && id === id.trim()).toBe(true);
		});
	});

	it('of the status endpoint is an execution', () => {
		holds(mutated(STATUSES), (answer) => {
			const execution = readExecution(answer);
			expectItem(execution, ['status'], EXECUTION);
			expectSendable(execution, answer);
		});
	});

	it('of POST /resume has a status', () => {
		holds(mutated(RESUMES), (answer) => {
			const { status, message, newId } = readResume(answer, 'id-1');
			const known = ['resumed', 'retrying', 'completed', 'started', 'unknown'];
			expect(known).toContain(status);
			if (message !== undefined) expect(isFilled(message)).toBe(true);
			if (newId !== undefined)
				expect([idProblem(newId), newId === 'id-1']).toEqual([undefined, false]);
		});
	});

	it('that refuses can say why, and what is missing', () => {
		holds(mutated(ERRORS), (answer) => {
			const { message, missingInputs } = readErrorBody(answer);
			if (message !== undefined) expect(isFilled(message)).toBe(true);
			expect(missingInputs.every(isText)).toBe(true);
			expect(new Set(missingInputs).size).toBe(missingInputs.length);
		});
	});
});

describe('any refusal', () => {
	const subjects: Subject[] = ['inputs', 'kickoff', 'status', 'resume', 'stop'];
	const headers = fc.dictionary(
		fc.constantFrom('retry-after', 'location', 'content-type', '__proto__'),
		fc.oneof(strangeText, strangeJson),
	);
	const refusals = fc.record({
		subject: fc.constantFrom(...subjects),
		status: fc.oneof(
			fc.integer({ min: 100, max: 599 }),
			fc.constantFrom(200, 307, 400, 401, 404, 422, 429, 503, NaN),
		),
		headers,
		body: mutated(ERRORS),
		text: strangeText,
	});

	it('has a documented message, and advice that is not endless', () => {
		holds(refusals, ({ subject, ...response }) => {
			const { message, description, retryAfter = 0 } = refusal(subject, response);
			expect({ message, isDocumented: documentedMessage(message) !== undefined }).toEqual({
				message,
				isDocumented: true,
			});
			expect(description.length).toBeLessThan(1_200);
			expect(message.length).toBeLessThan(600);
			const isQuoting = readErrorBody(response.body).message ?? response.headers.location;
			if (isQuoting === undefined) expect(description).not.toMatch(/undefined|NaN|\[object/);
			expect(retryAfter).toBeGreaterThanOrEqual(0);
		});
	});
});

describe('any text', () => {
	it('is JSON that is not too much, or none', () => {
		const texts = fc.oneof(
			strangeText,
			strangeJson.map((value) => JSON.stringify(value)),
			fc
				.array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '1', 'null'), {
					maxLength: 60,
				})
				.map((tokens) => tokens.join('')),
		);
		holds(texts, (text) => {
			const value = parseJson(text);
			if (value === undefined) return;
			expect(value).toEqual(JSON.parse(text.replace(/^\uFEFF/, '')));
			expect(isTooMuch(value)).toBe(false);
		});
	});
});
