import type { IDataObject, INode } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import nock from 'nock';
import { version } from '../../package.json';
import { credentialFor } from '../../sandbox/src/crew-credential';
import { CREDENTIAL, N8N_URL, type CrewNode, type EngineRun } from '../support/engine';
import { ANY_ID, readFixtures, settle } from '../support/saved/fixtures';
import { crewNodes, descriptionOf, readByEditor } from '../support/saved/savedWorkflow';
import { callTrigger } from '../support/triggerCall';
import { waitInN8n } from '../support/waitInN8n';
import { idOf, WaitingCrew } from '../support/waitingCrew';

/** Each of the package's nodes in each workflow that was saved with any version. */
const saved = readFixtures().flatMap(({ name, workflow, meaning }) =>
	crewNodes(workflow).map((node) => ({
		title: `${name}: ${node.name}`,
		node,
		sent: meaning.sent,
		parameters: meaning.parameters[node.name],
		run: meaning.runs[node.name],
	})),
);

it('workflows were saved with this version', () => {
	const names = readFixtures().map(({ name }) => name);
	expect(names.filter((name) => name.startsWith(`${version}/`))).not.toEqual([]);
});

describe.each(saved)('$title', ({ node, parameters }) => {
	it('opens with every parameter and every choice that was saved', () => {
		expect(readByEditor(node, false)).toEqual(node.parameters);
		const description = descriptionOf(node);
		const opened = { ...node, parameters: readByEditor(node, true) };
		const issues = NodeHelpers.getNodeParametersIssues(description.properties, opened, description);
		expect(issues?.parameters ?? {}).toEqual({});
	});

	it('means what it meant: no default of an unset field has changed', () => {
		expect(readByEditor(node, true)).toMatchObject(parameters!);
	});
});

describe.each(saved.filter(({ node }) => node.type === 'n8n-nodes-crew.crew'))(
	'$title',
	({ node, run, sent }) => {
		it('sends what it sent then, and ends in the same way', async () => {
			const { input, output } = run!;
			const crew = new WaitingCrew();
			const { json, error } = await runToEnd(node, input, output, crew);
			expect(error).toBeUndefined();

			const { operation = 'kickoff' } = node.parameters as { operation?: string };
			const path = `/${operation}`;
			const before = sent.filter((one) => one.path === path).map(({ body }) => body);
			const bodies = settle([...crew.kickoffs, ...crew.resumes], N8N_URL);
			expect(bodies.map(withoutWorkflow)).toMatchObject(before.map(withoutWorkflow));
			const stopped = sent.flatMap((one) => /^\/stop\/(.+)/.exec(one.path)?.[1] ?? []);
			expect(crew.stopped).toEqual(path === '/stop' ? stopped : []);
			expect(json.map(gist)).toEqual(output.map(gist));
		});
	},
);

describe.each(saved.filter(({ node }) => node.type === 'n8n-nodes-crew.crewTrigger'))(
	'$title',
	({ node, run }) => {
		it('starts with the same items as then', async () => {
			const { baseUrl } = new WaitingCrew();
			const items: IDataObject[] = [];
			for (const { kind, body } of run!.input) {
				const { parameters } = node;
				const call = { parameters: parameters as CrewNode['parameters'], body };
				const query = { callback: kind };
				const outcome = await callTrigger({ ...call, query, credential: { baseUrl } });
				items.push(...(outcome.items ?? []));
			}
			expect(settle(items, N8N_URL)).toMatchObject(run!.output);
			expect(items).toHaveLength(run!.output.length);
		});
	},
);

/** Makes the crew say about every execution what its item said then. */
function answerAsBefore(crew: WaitingCrew, items: IDataObject[]): void {
	nock(crew.baseUrl).get('/inputs').reply(200, { inputs: items });
	const [first] = items;
	const answer = { status: first?.status, task_id: first?.task_id, result: { output: 'Done' } };
	for (const id of [idOf(0), ANY_ID]) crew.answers.set(id, [200, answer]);
}

/** Runs the node with these items on n8n's engine; if its execution waits, until it continues. */
async function runToEnd(
	node: INode,
	items: IDataObject[],
	output: IDataObject[],
	crew: WaitingCrew,
): Promise<EngineRun> {
	// Here, the previous node is called Start.
	const text = JSON.stringify(node.parameters).replaceAll(/\$\(\\"\w+\\"\)/g, '$(\\"Start\\")');
	const parameters = JSON.parse(text) as CrewNode['parameters'];
	const { url: baseUrl, accessToken } = { url: crew.baseUrl, ...CREDENTIAL };
	answerAsBefore(crew, output);
	const { shown, resumed } = await waitInN8n(
		{ name: node.name, parameters },
		{ items, n8nUrl: N8N_URL, credential: { ...credentialFor({ url: baseUrl, accessToken }) } },
	);
	return resumed ?? shown;
}

/** A body without the workflow's name in its details. */
function withoutWorkflow<T>(body: T): T {
	const text = JSON.stringify(body).replace(/"workflow":\{[^}]*\},?/, '');
	return JSON.parse(text) as T;
}

/** The parts of an item that do not depend on details of the crew's answers. */
function gist({ status, callbacks, name, response }: IDataObject) {
	return { status, callbacks, name, hasResponse: response !== undefined };
}
