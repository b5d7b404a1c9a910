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

	test('belongs to the node, and has the words that people search for', () => {
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

test('only Crew is in the category AI, since n8n’s search hides AI nodes that are not root nodes', () => {
	const [crew, trigger] = ['Crew', 'CrewTrigger'].map(readCodex);
	expect(crew?.categories).toContain('AI');
	expect(crew?.subcategories?.['AI']).toEqual(expect.arrayContaining(['Agents', 'Root Nodes']));
	expect(trigger?.categories).toEqual(['Utility']);
	expect(trigger).not.toHaveProperty('subcategories');
});

// n8n ignores a codex without `resources`; if it names no page, n8n links to the package's page on npm.
test.each(['Crew', 'CrewTrigger'])('%s leaves the link to its documentation to n8n', (name) => {
	expect(readCodex(name).resources).toEqual({});
});
