import { readRetryAfter, refusal } from '../../nodes/Crew/api/errors';
import { noAnswer } from '../../nodes/Crew/n8n/noAnswer';
import { isAuthentic } from '../../nodes/Crew/trigger/receive';
import { choiceOfUrl, readChoice } from '../../nodes/Crew/callbacks/choice';
import { deliveryId } from '../../nodes/Crew/trigger/repeats';
import { splitOrJoin } from '../../nodes/Crew/trigger/triggerEvents';
import { readAccessToken } from '../../nodes/Crew/model/accessToken';
import { callbackUrlProblem, readBaseUrl } from '../../nodes/Crew/model/url';
import { readCallback } from '../../nodes/Crew/model/callback';
import { readErrorBody } from '../../nodes/Crew/model/errorBody';
import { readExecution } from '../../nodes/Crew/model/execution';
import { statusOfWord } from '../../nodes/Crew/model/executionStatus';
import { readInputs } from '../../nodes/Crew/model/inputs';
import { parseJson } from '../../nodes/Crew/model/json';
import { idProblem, readKickoffId } from '../../nodes/Crew/model/kickoff';
import { readResume } from '../../nodes/Crew/model/resume';
import { readNews } from '../../nodes/Crew/model/news';
import { asContext } from './support/context';
import { NAMES } from './support/strange';

/** Characters. A time that grows with the square of this would be minutes. */
const LENGTH = 300_000;
/** Processor time for each text, in milliseconds: far more than is needed, far less than a quadratic time. */
const LIMIT = 2_000;

/** The processor time of some work in milliseconds, without other work on the machine. */
function timeOf(work: () => unknown): number {
	const begun = process.cpuUsage();
	work();
	return process.cpuUsage(begun).user / 1_000;
}

/** Pieces that could make a pattern or a parser backtrack, if repeated before an unexpected end. */
const PIECES = [
	...['a', 'A', 'aA', '_', 'a_', ' ', '\n', '\t', '\r\n', '\0', '\uFEFF', '\u2003'],
	...[
		'/',
		'//',
		'\\',
		'\\\\',
		'\\"',
		'"',
		'""',
		'[',
		'{',
		'{"a":',
		'[],',
		'{},',
		',',
		':',
		'.',
		'..',
		'%2f',
	],
	...[
		'@',
		'a@',
		'http://',
		'https://a',
		'bearer ',
		'Basic a ',
		'-',
		'9',
		'0.',
		'9 GMT',
		' GMT',
		'(',
		'\ud800',
	],
	...[
		'pending_',
		'awaiting human ',
		'waiting_for_',
		'list[',
		'int ',
		'<html',
		'<!doctype ',
		'xn--',
	],
];
const ENDS = ['', '!', '" '];
const TEXTS = PIECES.flatMap((piece) => {
	const long = piece.repeat(Math.ceil(LENGTH / piece.length));
	return ENDS.map((end) => [piece, long + end] as const);
});

/** Everything that reads text from outside: as a whole answer, in all fields of one, or as bare text. */
const READERS: Array<[string, (text: string) => unknown]> = [
	['parseJson', parseJson],
	['readAccessToken', (text) => refusalOf(() => readAccessToken(text))],
	['readBaseUrl', (text) => refusalOf(() => readBaseUrl(text))],
	['callbackUrlProblem', callbackUrlProblem],
	['idProblem', idProblem],
	['statusOfWord', statusOfWord],
	['readRetryAfter', (text) => readRetryAfter(text)],
	['choiceOfUrl', (text) => choiceOfUrl({ events: text, types: text })],
	['readErrorBody', readErrorBody],
	[
		'refusal',
		(text) =>
			[200, 307, 422, 429].map((status) => refusal('kickoff', { ...answerOf(text), status })),
	],
	['noAnswer', (text) => noAnswer(Object.assign(new Error(text), { code: text }), 'GET', 1_000)],
	[
		'isAuthentic',
		(text) =>
			[`Bearer ${text}`, `Basic ${text}`, text].map((authorization) =>
				isAuthentic(
					asContext({
						getQueryData: () => ({ callback: 'crew' }),
						getHeaderData: () => ({ authorization }),
						getNodeWebhookUrl: () => 'https://n8n.example.com/webhook/1/webhook',
					}),
					'secret',
				),
			),
	],
	['readInputs', (text) => readInputs(documentOf(text))],
	['readKickoffId', (text) => readKickoffId(documentOf(text))],
	['readExecution', (text) => readExecution(documentOf(text))],
	['readResume', (text) => readResume(documentOf(text), 'id-1')],
	['readErrorBody, in all fields', (text) => readErrorBody(documentOf(text))],
	['readChoice', (text) => readChoice(documentOf(text), (url) => url)],
	[
		'readCallback, deliveryId, readNews',
		(text) =>
			splitOrJoin(asContext({ getNodeParameter: () => true }), readCallback(documentOf(text))).map(
				(event) => [deliveryId(event), readNews(event)],
			),
	],
];

/** Why a text is refused, if it is. */
function refusalOf(read: () => unknown): unknown {
	try {
		return read();
	} catch (error) {
		return error;
	}
}

function answerOf(text: string) {
	return { headers: { location: text, 'retry-after': text }, body: parseJson(text) ?? text, text };
}

/** The same text under every name that is read. */
function documentOf(text: string): Record<string, unknown> {
	return Object.fromEntries(NAMES.map((name) => [name, text]));
}

describe('any piece, repeated up to 300,000 characters', () => {
	it.each(READERS)('is read quickly by %s', (_name, read) => {
		const slow = TEXTS.map(([piece, text]) => {
			return { piece, milliseconds: timeOf(() => read(text)) };
		}).filter(({ milliseconds }) => milliseconds > LIMIT);
		expect(slow).toEqual([]);
	});
});

describe('hundreds of thousands of values', () => {
	const count = 200_000;
	const many: Array<[string, unknown]> = [
		['a list of texts', Array.from({ length: count }, () => 'a')],
		['a list of objects', Array.from({ length: count }, () => ({}))],
		['a list of lists', Array.from({ length: count }, () => [])],
		[
			'names',
			Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 'string'])),
		],
		[
			'numbers as names',
			Object.fromEntries(Array.from({ length: count }, (_, index) => [index * 7, {}])),
		],
	];
	const readers: Array<[string, (value: unknown) => unknown]> = [
		['parseJson', (value) => parseJson(JSON.stringify(value))],
		['readInputs', (inputs) => readInputs({ inputs })],
		['readExecution', (value) => readExecution({ state: value, status: 'SUCCESS', result: value })],
		['readErrorBody', (detail) => readErrorBody({ detail, missing_inputs: detail })],
		['readCallback', (events) => readCallback({ events })],
		['deliveryId', (value) => deliveryId({ event: 'crew', value })],
	];

	it.each(many)('are read in seconds: %s', (_what, value) => {
		const slow = readers.filter(([, read]) => timeOf(() => read(value)) > 5_000);
		expect(slow.map(([name]) => name)).toEqual([]);
	});
});
