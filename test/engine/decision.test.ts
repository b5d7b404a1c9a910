import nock from 'nock';
import type { NodeParameterValueType } from 'n8n-workflow';
import { newBaseUrl } from '../support/crewMock';
import { OPERATIONS } from '../support/crewOperations';
import { runCrew } from '../support/engine';

/** Runs Resume with this decision, and returns what the crew got. */
async function decide(decision: NodeParameterValueType | undefined, item = {}) {
	const baseUrl = newBaseUrl();
	const sent: unknown[] = [];
	nock(baseUrl)
		.post('/resume', (body: { is_approve?: unknown }) => Boolean(sent.push(body.is_approve)))
		.reply(200, { status: 'resumed' });
	const parameters = { ...OPERATIONS.resume, decision: decision ?? '' };
	const { error } = await runCrew({ parameters }, { items: [item], credential: { baseUrl } });
	return { sent, error };
}

const mapped = '={{ $json.answer }}';

describe('the decision about a task', () => {
	it.each([
		...['approve', 'Approve', 'approved', ' APPROVED ', 'yes', 'Yes', 'true', true].map(
			(answer) => [answer, true] as const,
		),
		...['reject', 'Reject', 'rejected', 'no', 'NO', 'false', false].map(
			(answer) => [answer, false] as const,
		),
	])('is what an expression returns: %j', async (answer, isApproved) => {
		const { sent, error } = await decide(mapped, { answer });
		expect(error).toBeUndefined();
		expect(sent).toEqual([isApproved]);
	});

	it.each([
		['approve', true],
		['reject', false],
	])('is what is chosen: %s', async (decision, isApproved) => {
		const { sent } = await decide(decision);
		expect(sent).toEqual([isApproved]);
	});

	it.each([
		['nothing', undefined],
		['empty text', ''],
		['a number', 1],
		['a list', ['approve']],
		['a sentence', 'I do not approve'],
		['another word', 'ok'],
	])('is refused before anything is sent if it is %s', async (_what, answer) => {
		const { sent, error } = await decide(mapped, { answer });
		expect(error).toMatchObject({ message: 'Decision is neither approve nor reject', item: 0 });
		expect(sent).toEqual([]);
	});

	it('is required by n8n if nobody chose one', async () => {
		await expect(decide(undefined)).rejects.toThrow('Parameter "Decision" is required');
	});
});
