import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { CrewApi } from '../../../credentials/CrewApi.credentials';
import { Crew } from '../../../nodes/Crew/Crew.node';
import { CrewTrigger } from '../../../nodes/Crew/CrewTrigger.node';

/** A parameter of a panel, or one of its choices. */
export interface Field {
	/** `crew.options.maxParallel`, to find it by. */
	path: string;
	property: INodeProperties;
}

export interface Choice {
	path: string;
	/** The name of the parameter that offers it. */
	parameter: string;
	option: INodePropertyOptions;
}

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

const isField = (entry: Entry): entry is INodeProperties => 'type' in entry;
const isChoice = (entry: Entry): entry is INodePropertyOptions => 'value' in entry;

/** All parameters of both nodes and of the credential, including those inside collections. */
export const fields: Field[] = [
	...below('crew', new Crew().description.properties),
	...below('crewTrigger', new CrewTrigger().description.properties),
	...below('crewApi', new CrewApi().properties),
];

function below(path: string, properties: INodeProperties[]): Field[] {
	return properties.flatMap((property) => [
		{ path: `${path}.${property.name}`, property },
		...below(`${path}.${property.name}`, (property.options ?? []).filter(isField)),
	]);
}

/** A text that people read on the canvas or on a panel. */
export interface PanelText {
	path: string;
	text: string;
}

/** What n8n shows about the nodes as a whole, and notices: texts that belong to no field. */
export const nodeTexts: PanelText[] = [new Crew(), new CrewTrigger()].flatMap(({ description }) => {
	const { eventTriggerDescription, activationMessage, waitingNodeTooltip, triggerPanel } =
		description;
	const parts = {
		description: description.description,
		eventTriggerDescription,
		activationMessage,
		waitingNodeTooltip,
		triggerPanel,
	};
	return textsIn(description.name, parts);
});

export const notices: PanelText[] = fields
	.filter(({ property }) => property.type === 'notice')
	.map(({ path, property }) => ({ path, text: withoutTags(property.displayName) }));

/** Each text in it, however deep, by its path. */
function textsIn(path: string, value: unknown): PanelText[] {
	if (typeof value === 'string') return [{ path, text: withoutTags(value) }];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => textsIn(`${path}.${key}`, inner));
}

function withoutTags(html: string): string {
	return html.replaceAll(/(<br \/>)+/g, ' ').replaceAll(/<[^>]+>/g, '');
}

/** What can be chosen in those parameters. */
export const choices: Choice[] = fields.flatMap(({ path, property }) =>
	(property.options ?? [])
		.filter(isChoice)
		.map((option) => ({ path: `${path}.${option.name}`, parameter: property.name, option })),
);

/** All that people read: the texts above, and those of each field and of each choice. */
export const allTexts: PanelText[] = [
	...nodeTexts,
	...notices,
	...fields.flatMap(({ path, property }) =>
		textsIn(path, {
			displayName: property.displayName,
			description: property.description,
			hint: property.hint,
			placeholder: property.placeholder,
			typeOptions: property.typeOptions,
		}),
	),
	...choices.flatMap(({ path, option: { name, description, action } }) =>
		textsIn(path, { name, description, action }),
	),
];

const BLAME = /\b(error|problem|failure|mistake|invalid|oops)s?\b/i;

/** The word of blame in a text, if any. The name of the option Subscribe to Failures is allowed. */
export function blameIn(text: string): string | undefined {
	return BLAME.exec(text.replaceAll('Subscribe to Failures', ''))?.[0];
}
