import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { isRecord } from '../../nodes/Crew/model/json';
import { DEFINITIONS } from '../support/saved/definitions';
import { crewNodes, descriptionOf, readByEditor } from '../support/saved/savedWorkflow';

/** What the next release saves, see CONTRIBUTING: a field that is missing here would be untested in later versions. */
describe('the workflows that a release saves', () => {
	const nodes = DEFINITIONS.flatMap(({ workflow }) => crewNodes(workflow));
	const used = new Set(nodes.flatMap((node) => [...usesOf(node)]));
	const kinds = new Map(nodes.map((node) => [descriptionOf(node).name, node]));

	it.each([...kinds])('have every field of %s, each choice of a field included', (_name, node) => {
		const { name, properties } = descriptionOf(node);
		const known = properties.flatMap((property) => placesOf(property, name));
		expect(known.filter((place) => !used.has(place))).toEqual([]);
	});
});

/** A field's place, the places in its collection, and each choice that it offers. */
function placesOf(property: INodeProperties, above: string): string[] {
	if (property.type === 'notice') return [];
	const place = `${above}.${property.name}`;
	const places = (property.options ?? []).flatMap((option) => {
		if ('value' in option) return [`${place}=${String(option.value)}`];
		return 'type' in option ? placesOf(option, place) : [];
	});
	const values = property.type === 'boolean' ? [`${place}=true`, `${place}=false`] : [];
	return [place, ...places, ...values];
}

/** The places that a node's parameters use, the defaults of those that are shown included. */
function usesOf(node: INode): Set<string> {
	const uses = new Set<string>();
	const add = (parameters: INodeParameters, above: string) => {
		for (const [name, value] of Object.entries(parameters)) {
			const place = `${above}.${name}`;
			uses.add(place);
			for (const one of Array.isArray(value) ? value : [value])
				uses.add(`${place}=${typeof one === 'object' ? '' : String(one)}`);
			if (isRecord(value)) add(value as INodeParameters, place);
		}
	};
	add(readByEditor(node, true), descriptionOf(node).name);
	return uses;
}
