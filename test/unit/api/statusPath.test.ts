import type { CrewResponse } from '../../../nodes/Crew/api/exchange';
import { requestStatus } from '../../../nodes/Crew/api/dialects';

type Answer = readonly [status: number, body?: unknown, text?: string];

const answerOf = ([status, body, text = '']: Answer): CrewResponse => ({
	status,
	body,
	headers: {},
	text,
});

let crews = 0;

/** A deployment with these answers at the documented path and at the older one. */
function crewWith(documented: Answer, older: Answer) {
	const baseUrl = `https://crew-${++crews}.example.com`;
	const asked: string[] = [];
	const answers = new Map([
		['/a%20b/status', answerOf(documented)],
		['/status/a%20b', answerOf(older)],
	]);
	const ask = async () =>
		await requestStatus(baseUrl, 'a b', async (path) => {
			asked.push(path);
			return await Promise.resolve(answers.get(path)!);
		});
	return { ask, asked, answers };
}

const FOUND: Answer = [200, { status: 'running' }];
const NO_PATH: Answer = [404, { detail: 'Not Found' }];
const NO_EXECUTION: Answer = [404, { detail: 'Execution not found' }];
const NO_METHOD: Answer = [405];
const PAGE: Answer = [200];
const BROKEN: Answer = [503];
const NO_TOKEN: Answer = [401];
const TOO_MANY: Answer = [200, undefined, `[${'[],'.repeat(1_000_000)}0]`];

describe('requestStatus', () => {
	it.each([
		['the documented path if it answers', FOUND, NO_PATH, FOUND, 1],
		['the older path if only that answers', NO_PATH, FOUND, FOUND, 2],
		['the older path if the other has no GET', NO_METHOD, FOUND, FOUND, 2],
		['the older path if the other shows a web page', PAGE, FOUND, FOUND, 2],
		[
			'the first answer if neither path knows the execution',
			NO_EXECUTION,
			NO_PATH,
			NO_EXECUTION,
			2,
		],
		['the 404, not the other path’s 405', NO_EXECUTION, NO_METHOD, NO_EXECUTION, 2],
		['the 404 after a 405', NO_METHOD, NO_EXECUTION, NO_EXECUTION, 2],
		['the 404, not the other path’s web page', NO_EXECUTION, PAGE, NO_EXECUTION, 2],
		['the 404 after a web page', PAGE, NO_EXECUTION, NO_EXECUTION, 2],
		['a web page if both show one', PAGE, PAGE, PAGE, 2],
		['an answer with too many values, without a second request', TOO_MANY, NO_PATH, TOO_MANY, 1],
		['a refused token, without a second request', NO_TOKEN, FOUND, NO_TOKEN, 1],
		['a fault, without a second request', BROKEN, FOUND, BROKEN, 1],
		['a fault of the second path', NO_PATH, BROKEN, BROKEN, 2],
	])('returns %s', async (_what, documented, older, expected, requests) => {
		const { ask, asked } = crewWith(documented, older);
		expect(await ask()).toEqual(answerOf(expected));
		expect(asked).toHaveLength(requests);
	});

	it('starts with the path that worked before', async () => {
		const { ask, asked } = crewWith(NO_PATH, FOUND);
		await ask();
		await ask();
		expect(asked).toEqual(['/a%20b/status', '/status/a%20b', '/status/a%20b']);
	});

	it('finds the other path when a deployment changes it', async () => {
		const { ask, asked, answers } = crewWith(NO_PATH, FOUND);
		await ask();
		answers.set('/a%20b/status', answerOf(FOUND)).set('/status/a%20b', answerOf(NO_PATH));
		await ask();
		await ask();
		expect(asked.slice(2)).toEqual(['/status/a%20b', '/a%20b/status', '/a%20b/status']);
	});

	it('does not remember a path that has not worked', async () => {
		const { ask, asked } = crewWith(NO_PATH, NO_EXECUTION);
		await ask();
		await ask();
		expect(asked.slice(2)).toEqual(['/a%20b/status', '/status/a%20b']);
	});

	it.each(['..', 'a/b', '', 'a\nb', '\ud800'])('never builds a path with the ID %j', async (id) => {
		const asking = requestStatus('https://a.example.com', id, () => {
			throw new Error('Nothing should be sent');
		});
		await expect(asking).rejects.toThrow(/^The kickoff ID (is empty|has )/);
	});
});
