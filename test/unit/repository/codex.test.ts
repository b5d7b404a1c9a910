import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Codex {
	node: string;
	categories: string[];
	subcategories: Record<string, string[]>;
	alias: string[];
	resources: Record<string, Array<{ url: string }>>;
}

const folder = join(__dirname, '..', '..', '..', 'nodes', 'Crew');

describe.each(['Crew', 'CrewTrigger'])('the codex of %s', (name) => {
	const codex = JSON.parse(readFileSync(join(folder, `${name}.node.json`), 'utf8')) as Codex;

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

	test('puts it among the root nodes about AI: n8n’s search leaves out all others about AI', () => {
		expect(codex.categories).toContain('AI');
		expect(codex.subcategories['AI']).toEqual(expect.arrayContaining(['Agents', 'Root Nodes']));
	});

	test('leads to the documentation', () => {
		const { primaryDocumentation, credentialDocumentation } = codex.resources;
		const url = primaryDocumentation?.[0]?.url ?? '';
		expect(url).toMatch(/^https:\/\//);
		// A heading of the README.
		expect(new URL(url).hash).toBe(name === 'CrewTrigger' ? '#crew-trigger' : '');
		expect(credentialDocumentation?.[0]?.url).toMatch(/#credential$/);
	});
});
