import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { WorkflowDefinition } from '../../../sandbox/src/n8n-types';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** What a workflow did when it was saved, with the IDs, times and addresses of {@link settle}. */
export interface Meaning {
	/** By node: all parameters, including the defaults, which are not in the workflow itself. */
	parameters: Record<string, INodeParameters>;
	/** Requests that started, resumed or stopped an execution of the crew. */
	sent: Array<{ path: string; body?: IDataObject }>;
	/** By node: its input items (for a trigger, the requests), and its output items. */
	runs: Record<string, { input: IDataObject[]; output: IDataObject[] }>;
}

export interface SavedFixture {
	/** The version of this package, and the workflow's file. */
	name: string;
	workflow: WorkflowDefinition;
	meaning: Meaning;
}

/** Stands for every ID that is new in each run. */
export const ANY_ID = '00000000-0000-4000-8000-000000000000';

/** Stands for n8n's own address in saved workflows. */
export const SAVED_N8N = 'https://n8n.example.org';

export const MEANING = '.meaning.json';

const root = join(repositoryFolder, 'test', 'fixtures', 'saved');

/** The folder with the workflows of a version of this package. */
export const savedFolder = (version: string) => join(root, version);

/** The saved workflows of all versions. */
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

/** Replaces everything that differs between runs, or between versions of n8n, with fixed values. */
export function settle<T>(value: T, n8nUrl: string): T {
	const text = JSON.stringify(value)
		.replaceAll(n8nUrl, SAVED_N8N)
		.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ANY_ID)
		// n8n 1.x does not sign resume URLs.
		.replaceAll(/webhook-waiting\/[\w-]+\/crew\?(signature=[\w-]+&)?/g, 'webhook-waiting/1/crew?')
		.replaceAll(/"execution_time":[\d.]+/g, '"execution_time":0')
		.replaceAll(/"(received_at|delivery_id)":"[^"]*"/g, '"$1":""')
		.replaceAll(/"workflow":\{"id":"[^"]*"/g, '"workflow":{"id":"1"')
		.replaceAll(/"execution":"[^"]*"/g, '"execution":"1"');
	return JSON.parse(text) as T;
}
