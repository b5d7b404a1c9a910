import type { CrewResponse } from '../../../nodes/Crew/api/exchange';
import { requestResume } from '../../../nodes/Crew/api/dialects';
import type { JsonRecord } from '../../../nodes/Crew/model/json';

const BODY = { execution_id: 'id-1', task_id: 't', human_feedback: 'Shorter', is_approve: false };
const CAMEL = { executionId: 'id-1', taskId: 't', humanFeedback: 'Shorter', isApprove: false };

const required = (...names: string[]) => ({
	detail: names.map((name) => ({ loc: ['body', name], msg: 'Field required', type: 'missing' })),
});

/** Without a body, the answer is not JSON. */
const answer = (status: number, body?: unknown): CrewResponse => ({
	status,
	body,
	headers: {},
	text: body === undefined ? 'executionId: field required' : JSON.stringify(body),
});
const RESUMED = answer(200, { kickoff_id: 'id-2' });
const WANTS_CAMEL = answer(422, required('executionId', 'taskId'));
const WANTS_SNAKE = answer(422, required('execution_id', 'task_id'));

let crews = 0;

/** A deployment that sends these answers, one after the other. */
function crewWith(...answers: CrewResponse[]) {
	const baseUrl = `https://resumes-${++crews}.example.com`;
	const sent: JsonRecord[] = [];
	const resume = async (body: JsonRecord = BODY) =>
		await requestResume(baseUrl, body, async (named) => {
			sent.push(named);
			return await Promise.resolve(answers.shift()!);
		});
	return { resume, sent };
}

describe('requestResume', () => {
	it('sends the specification’s names, once, if they are accepted', async () => {
		const { resume, sent } = crewWith(RESUMED);
		expect(await resume()).toBe(RESUMED);
		expect(sent).toEqual([BODY]);
	});

	it.each<[string, unknown]>([
		['as a framework’s list', required('executionId', 'taskId')],
		['one of the two', required('taskId')],
		['as a list without types', { detail: [{ loc: ['body', 'executionId'], msg: 'Required' }] }],
		['as text', { detail: 'Missing fields: executionId, taskId' }],
		['as the documented shape', { error: 'Validation Error', message: 'executionId is required' }],
		['as names', { message: 'No', details: { missing_inputs: ['executionId'] } }],
		['as names of fields', { message: 'No', details: { missing_fields: ['executionId'] } }],
		['deep down', { detail: [{ loc: ['body', 'resume', 'executionId'], msg: 'Required' }] }],
		['as an object of names', { errors: { taskId: ['This field is required.'] } }],
		['as a path', { issues: [{ path: ['executionId'], message: 'Required' }] }],
		['as a pointer', { errors: [{ source: { pointer: '/executionId' }, title: 'Required' }] }],
		['as text that is not JSON', undefined],
	])('sends the same again with the names that the answer asks for: %s', async (_what, body) => {
		const { resume, sent } = crewWith(answer(422, body), RESUMED);
		expect(await resume({ ...BODY, crewWebhookUrl: 'https://a.example' })).toBe(RESUMED);
		expect(sent[1]).toEqual({ ...CAMEL, crewWebhookUrl: 'https://a.example' });
	});

	it('uses the right names at once the next time', async () => {
		const { resume, sent } = crewWith(WANTS_CAMEL, RESUMED, RESUMED);
		await resume();
		await resume();
		expect(sent).toEqual([BODY, CAMEL, CAMEL]);
	});

	it('goes back to the specification’s names if a changed deployment asks for them', async () => {
		const { resume, sent } = crewWith(WANTS_CAMEL, RESUMED, WANTS_SNAKE, RESUMED, RESUMED);
		await resume();
		await resume();
		await resume();
		expect(sent).toEqual([BODY, CAMEL, CAMEL, BODY, BODY]);
	});

	it('remembers nothing if both are refused, and sends at most two requests', async () => {
		const { resume, sent } = crewWith(WANTS_CAMEL, WANTS_SNAKE, RESUMED);
		expect(await resume()).toBe(WANTS_SNAKE);
		await resume();
		expect(sent).toEqual([BODY, CAMEL, BODY]);
	});

	it.each<[string, CrewResponse]>([
		['a 422 about something else', answer(422, required('human_feedback'))],
		['a 422 about what was sent', answer(422, required('task_id'))],
		['a 422 that repeats what was sent', answer(422, { detail: [{ input: { executionId: 1 } }] })],
		['a 422 that repeats a value', answer(422, { errors: [{ msg: 'No', value: 'taskId' }] })],
		['a 400, whose cause may be the execution', answer(400, { detail: 'executionId: no' })],
		['a fault', answer(500, { detail: 'executionId' })],
		['a success', answer(200, { message: 'executionId, taskId' })],
	])('sends nothing more after %s', async (_what, only) => {
		const { resume, sent } = crewWith(only);
		expect(await resume()).toBe(only);
		expect(sent).toHaveLength(1);
	});
});
