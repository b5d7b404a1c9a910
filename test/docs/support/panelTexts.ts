import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { CrewApi } from '../../../credentials/CrewApi.credentials';
import { Crew } from '../../../nodes/Crew/Crew.node';
import { CrewTrigger } from '../../../nodes/Crew/CrewTrigger.node';

/** A parameter of a panel, or one of the options to choose from in it. */
export interface Field {
	/** `crew.options.maxParallel`, to find it by. */
	path: string;
	property: INodeProperties;
}

export interface Choice {
	path: string;
	/** Of the parameter that offers it. */
	parameter: string;
	option: INodePropertyOptions;
}

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

const isField = (entry: Entry): entry is INodeProperties => 'type' in entry;
const isChoice = (entry: Entry): entry is INodePropertyOptions => 'value' in entry;

/** All parameters of both nodes and of the credential, those inside of collections too. */
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

/** What can be chosen in those parameters. */
export const choices: Choice[] = fields.flatMap(({ path, property }) =>
	(property.options ?? [])
		.filter(isChoice)
		.map((option) => ({ path: `${path}.${option.name}`, parameter: property.name, option })),
);
