import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Codex {
	node: string;
	categories: string[];
	subcategories?: Record<string, string[]>;
	alias: string[];
	resources?: unknown;
}

const folder = join(__dirname, '..', '..', '..', 'nodes', 'Crew');

function readCodex(name: string): Codex {
	return JSON.parse(readFileSync(join(folder, `${name}.node.json`), 'utf8')) as Codex;
}

describe.each(['Crew', 'CrewTrigger'])('the codex of %s', (name) => {
	const codex = readCodex(name);

	test('is that of the node, with the words under which people look for it', () => {
		expect(codex.node).toBe(`n8n-nodes-crew.${name[0]!.toLowerCase()}${name.slice(1)}`);
		const words = [
			'CrewAI',
			'crew',
			'agents',
			'multi-agent',
			'AMP',
			'kickoff',
			'human in the loop',
		];
		expect(codex.alias).toEqual(words);
	});
});

test('n8n’s search leaves out nodes about AI that are no root nodes, and a trigger is none', () => {
	const [crew, trigger] = ['Crew', 'CrewTrigger'].map(readCodex);
	expect(crew?.categories).toContain('AI');
	expect(crew?.subcategories?.['AI']).toEqual(expect.arrayContaining(['Agents', 'Root Nodes']));
	expect(trigger?.categories).toEqual(['Utility']);
	expect(trigger).not.toHaveProperty('subcategories');
});

// n8n reads no codex that lacks `resources`; if it names no page, n8n leads to the package's page on npm.
test.each(['Crew', 'CrewTrigger'])('%s leaves the way to its documentation to n8n', (name) => {
	expect(readCodex(name).resources).toEqual({});
});
