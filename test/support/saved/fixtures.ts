import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { WorkflowDefinition } from '../../../sandbox/src/n8n-api';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** What a workflow did when it was saved. IDs, times and addresses are those of {@link settle}. */
export interface Meaning {
	/** By node: all parameters, the defaults among them, which are not in the workflow itself. */
	parameters: Record<string, INodeParameters>;
	/** Requests that started, resumed or stopped an execution of the crew. */
	sent: Array<{ path: string; body?: IDataObject }>;
	/** By node: the items, or for a trigger the requests, that it got, and the items that it gave. */
	runs: Record<string, { input: IDataObject[]; output: IDataObject[] }>;
}

export interface SavedFixture {
	/** Version of this package, and the workflow's file. */
	name: string;
	workflow: WorkflowDefinition;
	meaning: Meaning;
}

/** Every ID that is made up anew in each run. */
export const ANY_ID = '00000000-0000-4000-8000-000000000000';

/** The address that stands for n8n's own in what is saved. */
export const SAVED_N8N = 'https://n8n.example.org';

export const MEANING = '.meaning.json';

const root = join(repositoryFolder, 'test', 'fixtures', 'saved');

/** The folder with what was saved with a version of this package. */
export const savedFolder = (version: string) => join(root, version);

/** Every workflow that was saved with any version. */
export function readFixtures(): SavedFixture[] {
	return readdirSync(root).flatMap((version) =>
		readdirSync(savedFolder(version))
			.filter((file) => file.endsWith(MEANING))
			.map((file) => {
				const name = file.slice(0, -MEANING.length);
				const read = (path: string): unknown =>
					JSON.parse(readFileSync(join(savedFolder(version), path), 'utf8'));
				return {
					name: `${version}/${name}`,
					workflow: read(`${name}.json`) as WorkflowDefinition,
					meaning: read(file) as Meaning,
				};
			}),
	);
}

/** Puts fixed values in the place of all that differs from run to run, and between versions of n8n. */
export function settle<T>(value: T, n8nUrl: string): T {
	const text = JSON.stringify(value)
		.replaceAll(n8nUrl, SAVED_N8N)
		.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ANY_ID)
		// n8n 1.x signs no resume URL.
		.replaceAll(/webhook-waiting\/[\w-]+\/crew\?(signature=[\w-]+&)?/g, 'webhook-waiting/1/crew?')
		.replaceAll(/"execution_time":[\d.]+/g, '"execution_time":0')
		.replaceAll(/"(received_at|delivery_id)":"[^"]*"/g, '"$1":""')
		.replaceAll(/"workflow":\{"id":"[^"]*"/g, '"workflow":{"id":"1"')
		.replaceAll(/"execution":"[^"]*"/g, '"execution":"1"');
	return JSON.parse(text) as T;
}
