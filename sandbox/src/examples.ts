import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AsLeft } from './as-left';
import { CREDENTIAL_NAMES } from './crew-credential';
import type { N8nApi } from './n8n-api';
import type { StoredCredential, StoredWorkflow, WorkflowDefinition } from './n8n-types';
import { repositoryFolder } from './paths';

/** A workflow of `examples/`. An `active` one starts by itself, from a webhook. */
export interface Example extends WorkflowDefinition {
	file: string;
	active: boolean;
}

/** Credentials for the examples: one for all, or a second one for those whose crew asks a person. */
export type ExampleCredentials =
	StoredCredential | { research: StoredCredential; reviewedArticle: StoredCredential };

/** The placeholder for the reader's own n8n in the examples. */
const EXAMPLE_N8N = 'https://n8n.example.org';

const examplesFolder = join(repositoryFolder, 'examples');

/** File names of all examples, in alphabetical order. */
export async function listExamples(): Promise<string[]> {
	const files = await readdir(examplesFolder);
	return files.filter((file) => file.endsWith('.json')).sort();
}

/** Reads an example for an n8n at `n8nUrl`, with one of `credentials` in every node that needs one. */
async function readExample(
	file: string,
	n8nUrl: string,
	credentials: ExampleCredentials,
): Promise<Example> {
	const example = JSON.parse(await readFile(join(examplesFolder, file), 'utf8')) as Example;
	return { ...settleIn(example, n8nUrl, credentials), file };
}

/** A workflow for an n8n at `n8nUrl`, with one of `credentials` in every node that needs one. */
export function settleIn<Workflow extends WorkflowDefinition>(
	workflow: Workflow,
	n8nUrl: string,
	credentials: ExampleCredentials,
): Workflow {
	const here = JSON.parse(JSON.stringify(workflow).replaceAll(EXAMPLE_N8N, n8nUrl)) as Workflow;
	const nodes = here.nodes.map((node) => {
		const named = node.credentials?.['crewApi'];
		if (named === undefined) return node;
		const { id, name } = credentialNamed(named.name, credentials);
		return { ...node, credentials: { ...node.credentials, crewApi: { id, name } } };
	});
	return { ...here, nodes };
}

function credentialNamed(name: string, credentials: ExampleCredentials): StoredCredential {
	if ('id' in credentials) return credentials;
	return name === CREDENTIAL_NAMES.reviewedArticle
		? credentials.reviewedArticle
		: credentials.research;
}

/**
 * Puts examples into n8n and activates those that start by themselves. An example with the same name that is there
 * already is updated, unless the user has changed it. n8n lists the newest workflow first, so the last example is
 * imported first.
 *
 * @param asLeft knows what the user has changed; without it, all examples are updated
 * @returns the stored workflows by file name
 */
export async function importExamples(
	api: N8nApi,
	credentials: ExampleCredentials,
	files: string[],
	asLeft?: AsLeft,
): Promise<Map<string, ImportedExample>> {
	const present = new Map((await api.listWorkflows()).map((one) => [one.name, one] as const));
	const examples = await Promise.all(
		files.map((file) => readExample(file, api.webhookUrl, credentials)),
	);
	examples.sort((one, other) => numberOf(other) - numberOf(one));
	const imported = new Map<string, ImportedExample>();
	for (const { file, active, ...example } of examples) {
		const there = present.get(example.name);
		const definition = JSON.stringify(example);
		if (there && asLeft?.isChanged(there.id, there.versionId)) {
			imported.set(file, { ...(await api.getWorkflow(there.id)), isUsers: true });
		} else if (there && asLeft && !asLeft.isChanged(`${there.id} of`, definition)) {
			imported.set(file, { ...(await api.getWorkflow(there.id)), isUsers: false });
		} else {
			const stored = there
				? await api.updateWorkflow(there.id, example)
				: await api.createWorkflow(example);
			if (active) await api.activateWorkflow(stored);
			imported.set(file, { ...stored, isUsers: false });
			asLeft?.note(stored.id, (await api.getWorkflow(stored.id)).versionId);
			asLeft?.note(`${stored.id} of`, definition);
		}
	}
	return imported;
}

/** An example in n8n. */
export interface ImportedExample extends StoredWorkflow {
	/** Whether the user has changed it. */
	isUsers: boolean;
}

/** `Crew example 7: approve by trigger` -> 7 */
function numberOf({ name }: WorkflowDefinition): number {
	return Number(/\d+/.exec(name)?.[0]);
}
