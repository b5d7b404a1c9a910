import { answerOperation, newBaseUrl } from '../support/crewMock';
import {
	DIALECTS,
	OPERATION_NAMES,
	OPERATIONS,
	type Dialect,
	type OperationName,
} from '../support/crewOperations';
import { runCrew } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { isStart } from '../support/faults/cells';

const NO_CREW = 'No crew answers at this address';
const UNKNOWN_ID = 'The crew has no execution with this kickoff ID';
const NO_ANSWER_OF_A_CREW = 'What answers at this address is not a crew: it sent';

type Names = Partial<Record<OperationName, string>>;
const texts = (all: string, some: Names = {}) => ({ all, some });

interface Refusal {
	what: string;
	answer: (dialect: Dialect) => [status: number, body?: unknown, headers?: Record<string, string>];
	message: { all: string; some: Names };
	/** What to do, in the description. */
	advice: RegExp;
	/** How often a read, and how often a kickoff or a resume, is sent. */
	tries?: { read: number; start: number };
	/** Whether a crew may have been started or resumed all the same. */
	mayHaveArrived?: boolean;
}

const REFUSALS: Refusal[] = [
	{
		what: '400',
		answer: ({ refusal }) => [400, refusal('Not like this')],
		message: texts('The crew did not accept the request', {
			kickoff: 'The crew did not accept the inputs',
			getStatus: 'The crew did not accept the kickoff ID',
			resume: 'The execution cannot be resumed',
			stop: 'The execution cannot be stopped',
		}),
		advice: /^The crew says: Not like this\.\n.*(Compare|Use|Check|look at)/,
	},
	{
		what: '401',
		answer: ({ refusal }) => [401, refusal('Not like this')],
		message: texts('The crew did not accept the access token'),
		advice: /^The crew says: Not like this\.\nCopy the token from the Status tab/,
	},
	{
		what: '403',
		answer: ({ refusal }) => [403, refusal('Not like this')],
		message: texts('The access token has no permission for this'),
		advice: /User Bearer Token has limited permissions/,
	},
	{
		what: '404',
		answer: ({ refusal }) => [404, refusal('Not here')],
		message: texts(NO_CREW, {
			getStatus: UNKNOWN_ID,
			stop: UNKNOWN_ID,
			resume: 'The crew has no such execution or task',
		}),
		advice: /Use the kickoff_id|Copy the base URL/,
	},
	{
		what: '422 that names missing inputs',
		answer: ({ missingInputs }) => [422, missingInputs('topic', 'year')],
		message: texts('The crew did not accept the values', {
			kickoff: 'Required inputs are missing: topic, year',
		}),
		advice: /Fill in these inputs|Check|Use|look at/,
	},
	{
		what: '422 that names missing inputs in a text',
		answer: () => [422, { detail: 'Missing inputs: audience, topic' }],
		message: texts('The crew did not accept the values', {
			kickoff: 'Required inputs are missing: audience, topic',
		}),
		advice: /Fill in these inputs under 'Inputs' of this node|Check|Use|look at/,
	},
	{
		what: '422 that names missing inputs in a text that is no JSON',
		answer: () => [422, 'Missing inputs: audience, topic'],
		message: texts('The crew did not accept the values', {
			kickoff: 'Required inputs are missing: audience, topic',
		}),
		advice: /^The crew says: Missing inputs: audience, topic\.\n/,
	},
	{
		what: '422 with a page',
		answer: () => [422, '<html><body>Missing inputs: a</body></html>'],
		message: texts('The crew did not accept the values'),
		advice: /^(Check|Compare|Use|Resume works|Only)/,
	},
	{
		what: '401 without a token',
		answer: () => [401, { detail: 'Not authenticated' }],
		message: texts('The crew did not accept the access token'),
		advice: /^The crew says: Not authenticated\.\nCopy the token from the Status tab/,
	},
	{
		what: '500 with plain text',
		answer: () => [500, 'Internal Server Error'],
		message: texts('The crew’s server could not answer (HTTP 500)'),
		advice:
			/asleep, starting or overloaded\. Look at the crew’s dashboard or log, and try again\.$/,
		tries: { read: 3, start: 1 },
		mayHaveArrived: true,
	},
	{
		what: '422 that names an input with a system’s code in its name',
		answer: ({ missingInputs }) => [422, missingInputs('preexisting')],
		message: texts('The crew did not accept the values', {
			kickoff: 'Required inputs are missing: preexisting',
		}),
		advice: /Fill in these inputs|Check|Use|look at/,
	},
	{
		what: '429',
		answer: ({ refusal }) => [429, refusal('Slowly')],
		message: texts('The crew receives too many requests'),
		advice:
			/^The crew says: Slowly\.\nWait a while and try again, with a lower 'Max Parallel Requests'\.$/,
		tries: { read: 3, start: 3 },
	},
	{
		what: '429 with a longer pause than the node waits',
		answer: () => [429, '', { 'Retry-After': '61' }],
		message: texts('The crew receives too many requests'),
		advice: /It asked to wait 61 s before the next request\.$/,
	},
	...[500, 502, 503, 504].map((status): Refusal => ({
		what: String(status),
		answer: () => [
			status,
			'<html><body>Bad gateway</body></html>',
			{ 'Content-Type': 'text/html' },
		],
		message: texts(`The crew’s server could not answer (HTTP ${status})`),
		advice:
			/asleep, starting or overloaded\. Look at the crew’s dashboard or log, and try again\.$/,
		tries: { read: 3, start: 1 },
		mayHaveArrived: true,
	})),
	{
		what: 'a web page',
		answer: () => [200, '\uFEFF\n<!DOCTYPE html><title>Sign in</title>'],
		message: texts(`${NO_ANSWER_OF_A_CREW} a web page`, { getStatus: UNKNOWN_ID }),
		advice: /proxy or a login page|Use the kickoff_id/,
		mayHaveArrived: true,
	},
	{
		what: 'something that is no JSON',
		answer: () => [200, 'Healthy'],
		message: texts(`${NO_ANSWER_OF_A_CREW} something else`, { getStatus: UNKNOWN_ID }),
		advice: /Copy the base URL from the crew’s dashboard|Use the kickoff_id/,
		mayHaveArrived: true,
	},
	{
		what: 'JSON of another kind',
		answer: () => [200, '[7]'],
		message: texts(`${NO_ANSWER_OF_A_CREW} something else`),
		advice: /Copy the base URL from the crew’s dashboard/,
		mayHaveArrived: true,
	},
	{
		what: 'a redirect to another server',
		answer: () => [302, '', { Location: 'https://user:pw@evil.example/?token=1' }],
		message: texts('The address leads elsewhere (HTTP 302)'),
		advice: /^It leads to https:\/\/evil\.example\/\.\nRedirects are not followed/,
		// Like a page that shows the result of the request.
		mayHaveArrived: true,
	},
	{
		what: 'a redirect to its own address with https',
		answer: () => [308, '', { Location: 'https://crew.example.org/inputs?a=b' }],
		message: texts('The address leads elsewhere (HTTP 308)'),
		advice: /^It leads to https:\/\/crew\.example\.org\/inputs\.\n/,
	},
	{
		what: 'a status that nobody expects',
		answer: () => [418, { detail: 'Teapot' }],
		message: texts('The crew refused the request (HTTP 418)'),
		advice: /^The crew says: Teapot\.\nCheck the base URL/,
	},
];

/** An execution that the crew does not know is an item of Get Status, see operations.test.ts. */
const isItem = (operation: OperationName, { message }: Refusal) =>
	operation === 'getStatus' && message.some.getStatus === UNKNOWN_ID;

const CASES = OPERATION_NAMES.flatMap((operation) =>
	DIALECTS.flatMap((dialect) =>
		REFUSALS.filter((refusal) => !isItem(operation, refusal)).map((refusal) => ({
			operation,
			dialect,
			...refusal,
		})),
	),
);

describe.each(CASES)('$operation answered with $what ($dialect.name)', (row) => {
	const { operation, dialect, answer, message, advice, tries = { read: 1, start: 1 } } = row;
	const { mayHaveArrived = false } = row;

	it('says what happened, what to do and at which item', async () => {
		const baseUrl = newBaseUrl();
		const { askedAt } = answerOperation(baseUrl, dialect, operation, () => answer(dialect));
		const { error } = await inFastTime(
			async () => await runCrew({ parameters: OPERATIONS[operation] }, { credential: { baseUrl } }),
		);
		expect(error?.message).toBe(message.some[operation] ?? message.all);
		expect(error?.description).toMatch(adviceFor(operation, advice));
		expect(`${error?.message} ${error?.description}`).not.toMatch(/error|problem|failure|mistake/i);
		expect(error?.item).toBe(0);
		expect(askedAt).toHaveLength(isStart(operation) ? tries.start : tries.read);
		// The message says that a start may have happened if and only if it may.
		const isSaid = /may have been (started|resumed)/.test(error?.description ?? '');
		expect(isSaid).toBe(isStart(operation) && mayHaveArrived);
	});
});

/** A request that may have arrived is introduced by a line that says so. */
function adviceFor(operation: OperationName, advice: RegExp): RegExp {
	return isStart(operation) ? new RegExp(advice.source.replace('^', ''), 's') : advice;
}

test.each(OPERATION_NAMES)(
	'%s at 5xx: only for a status, the run itself may have failed',
	async (operation) => {
		const [dialect] = DIALECTS;
		const baseUrl = newBaseUrl();
		answerOperation(baseUrl, dialect!, operation, () => [500, 'Internal Server Error']);
		const { error } = await inFastTime(
			async () => await runCrew({ parameters: OPERATIONS[operation] }, { credential: { baseUrl } }),
		);
		const words = 'If this goes on, the run itself may have failed.';
		expect(error?.description?.includes(words)).toBe(operation === 'getStatus');
	},
);
