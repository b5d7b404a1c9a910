import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from '../../sandbox/src/format';
import type { StoredWorkflow, WorkflowDefinition } from '../../sandbox/src/n8n-types';
import { Teardown } from '../../sandbox/src/teardown';
import { version } from '../../package.json';
import { DEFINITIONS } from '../support/saved/definitions';
import { MEANING, savedFolder, SAVED_N8N } from '../support/saved/fixtures';
import { runInN8n } from '../support/saved/runInN8n';
import { crewNodes, readByEditor } from '../support/saved/savedWorkflow';
import { startSavedSandbox } from './support/savedSandbox';

/** The version that is about to be released, or the one in `package.json`. */
const release = process.env.CREW_RELEASE ?? version;
const folder = savedFolder(release);

/** `npm run save:workflows`: keeps workflows as this version saves them, for all later versions to open and run. */
describe(`saving workflows with version ${release}`, () => {
	const teardown = new Teardown();

	beforeAll(() => {
		if (!existsSync(folder)) return;
		throw new Error(
			`${folder} already exists, and the saved workflows of a published version are never changed. ` +
				`If ${release} was not published yet, remove the folder and start again.`,
		);
	});

	afterAll(() => teardown.run());

	test(`writes test/fixtures/saved/${release}`, async () => {
		const { surroundings, store } = await startSavedSandbox({ teardown });
		const files = new Map<string, unknown>();
		for (const { file, workflow } of DEFINITIONS) {
			const stored = await store(workflow);
			const done = await runInN8n(surroundings, stored);
			const parameters = Object.fromEntries(
				crewNodes(workflow).map((node) => [node.name, readByEditor(node, true)]),
			);
			files.set(`${file}.json`, exported(stored, workflow, surroundings.api.webhookUrl));
			files.set(`${file}${MEANING}`, { parameters, ...done });
		}
		await mkdir(folder, { recursive: true });
		for (const [file, content] of files) {
			await writeFile(join(folder, file), JSON.stringify(content));
		}
		await format(folder);
	});
});

/** A workflow as people download it from n8n, but without this n8n's own addresses and credentials. */
function exported(
	stored: StoredWorkflow,
	{ nodes: defined }: WorkflowDefinition,
	n8nUrl: string,
): WorkflowDefinition {
	const { name, connections, settings } = stored;
	const nodes = stored.nodes.map((node, index) => ({
		...node,
		...(node.credentials ? { credentials: defined[index]?.credentials } : {}),
	}));
	const text = JSON.stringify({ name, nodes, connections, settings });
	return JSON.parse(text.replaceAll(n8nUrl, SAVED_N8N)) as WorkflowDefinition;
}
