import nock from 'nock';
import { newBaseUrl } from '../support/crewMock';
import { OPERATIONS } from '../support/crewOperations';
import { runCrew, type CrewNode } from '../support/engine';

/** Runs at a crew that answers everything, and returns the requested paths, undecoded. */
async function pathsOf(parameters: CrewNode['parameters'], item = {}) {
	const baseUrl = newBaseUrl();
	const paths: string[] = [];
	for (const method of ['GET', 'POST']) {
		nock(baseUrl)
			.persist()
			.intercept(/.*/, method)
			.reply((path) => {
				paths.push(path);
				return [200, { status: 'running' }];
			});
	}
	const { error, json } = await runCrew({ parameters }, { items: [item], credential: { baseUrl } });
	return { paths, error, json };
}

const PLACES = [
	['getStatus', 'kickoffId', 'Kickoff ID', (id: string) => `/${id}/status`],
	['stop', 'kickoffId', 'Kickoff ID', (id: string) => `/stop/${id}`],
	['resume', 'kickoffId', 'Kickoff ID', () => '/resume'],
] as const;

describe.each(PLACES)('the ID of %s', (operation, parameter, displayName, pathOf) => {
	it.each([
		['a UUID', '0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d', '0f0d8a2e-4c1b-4f5e-9b0c-3f1f0a1b2c3d'],
		['spaces around it', ' a b ', 'a%20b'],
		['an encoded slash', 'a%2fb', 'a%252fb'],
		['encoded dots', '%2e%2e', '%252e%252e'],
		['a query', 'a?b=c', 'a%3Fb%3Dc'],
		['a fragment', 'a#b', 'a%23b'],
		['an "@"', '@evil.example', '%40evil.example'],
		['letters of other scripts', 'кру', '%D0%BA%D1%80%D1%83'],
		['an emoji', '👩‍🚀', '%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80'],
		['a number', 42, '42'],
	])('goes into the path as one encoded part: %s', async (_what, id, encoded) => {
		const { paths, error } = await pathsOf({ ...OPERATIONS[operation], [parameter]: id });
		expect(error).toBeUndefined();
		expect(paths).toEqual([pathOf(encoded)]);
	});

	it.each([
		['empty', '={{ "" }}', 'is empty'],
		['blank', '  ', 'is empty'],
		['an expression without a value', '={{ $json.nothing }}', 'is empty'],
		['with a slash', 'a/b', 'has a "/" or ".."'],
		['with a backslash', 'a\\b', 'has a "/" or ".."'],
		['a way up', '..', 'has a "/" or ".."'],
		['here', '.', 'has a "/" or ".."'],
		['with a line break', 'a\r\nX-Injected: 1', 'has a control character'],
		['with half a character', '={{ "\\ud800" }}', 'has half a character'],
	])('is refused by its name before anything is sent: %s', async (_what, id, reason) => {
		const { paths, error } = await pathsOf({ ...OPERATIONS[operation], [parameter]: id });
		expect(error).toMatchObject({ message: `${displayName} ${reason}`, item: 0 });
		expect(error?.description).toContain(`Set '${displayName}'`);
		expect(paths).toEqual([]);
	});

	it('comes from the item if nothing else is entered', async () => {
		const parameters = { ...OPERATIONS[operation], [parameter]: '={{ $json.kickoff_id }}' };
		const { paths } = await pathsOf(parameters, { kickoff_id: 'from-item' });
		expect(paths).toEqual([pathOf('from-item')]);
	});
});

describe('the task ID of resume', () => {
	it.each([
		['={{ "" }}', 'Task ID is empty'],
		['a\u0000b', 'Task ID has a control character'],
	])('is refused if it is %j', async (taskId, message) => {
		const { paths, error } = await pathsOf({ ...OPERATIONS.resume, taskId });
		expect(error?.message).toBe(message);
		expect(paths).toEqual([]);
	});
});
