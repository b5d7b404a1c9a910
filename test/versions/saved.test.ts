import { Teardown } from '../../sandbox/src/teardown';
import { ANY_ID, readFixtures, settle } from '../support/saved/fixtures';
import { runInN8n } from '../support/saved/runInN8n';
import { startSavedSandbox, type SavedSandbox } from './support/savedSandbox';
import { startTestedSandbox, versionTitle } from './support/testedSandbox';

describe(versionTitle, () => {
	const teardown = new Teardown();
	let sandbox: SavedSandbox;

	beforeAll(async () => {
		sandbox = await startSavedSandbox({ teardown }, startTestedSandbox);
	});

	afterAll(() => teardown.run());

	describe('Saved workflows', () => {
		test.each(readFixtures())('$name opens and does what it did', async (fixture) => {
			const { workflow, meaning } = fixture;
			const { api } = sandbox.surroundings;
			const stored = await sandbox.store(workflow);
			const opened = await api.getWorkflow(stored.id);
			expect(
				settle(
					opened.nodes.map(({ parameters }) => parameters),
					api.webhookUrl,
				),
			).toEqual(
				settle(
					workflow.nodes.map(({ parameters }) => parameters),
					ANY_ID,
				),
			);

			const { sent, runs } = await runInN8n(sandbox.surroundings, stored);

			// A later version may add fields, but change none.
			expect(sent).toMatchObject(meaning.sent);
			expect(sent).toHaveLength(meaning.sent.length);
			expect(runs).toMatchObject(meaning.runs);
		});
	});
});
