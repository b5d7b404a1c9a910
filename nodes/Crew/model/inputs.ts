import { defined, firstText, isRecord, own, type JsonRecord } from './json';

/** An input that a crew expects. What the crew does not report is absent. */
export interface CrewInput {
	name: string;
	/** The crew's own word, e.g. `string` or `integer`. */
	type?: string;
	required?: boolean;
	description?: string;
}

const KNOWN_TYPE =
	/^(str(ing)?|text|int(eger)?|long|number|float|double|decimal|bool(ean)?|list|array|tuple|set|object|dict(ionary)?|json|map|date(time)?|timestamp|time|any|optional|union|file|url|uri|email|uuid|none|null)\b/i;

/**
 * Reads the answer of `GET /inputs` in any of its shapes: names, name to type, objects, each with or
 * without the `inputs` wrapper, or a JSON Schema.
 *
 * @returns the inputs in the crew's order, or `undefined` if the answer is not a list of inputs
 */
export function readInputs(body: unknown): CrewInput[] | undefined {
	const wrapped = own(body, 'inputs');
	if (wrapped === null) return [];
	const inputs = wrapped === undefined ? readBare(body) : readList(wrapped);
	return inputs && withoutRepeats(inputs);
}

/** Without the wrapper, it could be any JSON object: it counts as inputs only if all types are known. */
function readBare(body: unknown): CrewInput[] | undefined {
	if (isRecord(body) && !isRecord(own(body, 'properties'))) {
		const types = Object.values(body).map((about) =>
			typeof about === 'string' ? about : readType(about),
		);
		if (!types.every((type) => type !== undefined && KNOWN_TYPE.test(type))) return undefined;
	}
	return readList(body);
}

function readList(value: unknown): CrewInput[] | undefined {
	if (Array.isArray(value)) {
		const entries = value.map((entry: unknown) =>
			typeof entry === 'string' ? { name: entry } : entry,
		);
		const inputs = entries.map((entry) => describe(firstText(entry, 'name', 'id', 'key'), entry));
		return inputs.every((input) => input !== undefined) ? inputs : undefined;
	}
	if (!isRecord(value)) return undefined;
	const properties = own(value, 'properties');
	return isRecord(properties)
		? readProperties(properties, own(value, 'required'))
		: readProperties(value, undefined);
}

function readProperties(properties: JsonRecord, required: unknown): CrewInput[] | undefined {
	if (Object.keys(properties).some((name) => name.trim() === '')) return undefined;
	return Object.entries(properties).map(([name, about]) => {
		if (typeof about === 'string') return { name, type: about };
		const input = describe(name, about) ?? { name };
		return Array.isArray(required) ? { ...input, required: required.includes(name) } : input;
	});
}

function describe(name: string | undefined, about: unknown): CrewInput | undefined {
	if (name === undefined) return undefined;
	const required = own(about, 'required');
	return defined({
		name,
		type: readType(about),
		required: typeof required === 'boolean' ? required : undefined,
		description: firstText(about, 'description'),
	});
}

/** The name of the type; in JSON Schema's lists of types, the first that is not `null`. */
function readType(about: unknown): string | undefined {
	const type = own(about, 'type') ?? own(about, 'anyOf');
	const choices: unknown[] = Array.isArray(type) ? type : [type];
	return choices
		.map((choice) => (typeof choice === 'string' ? choice : firstText(choice, 'type')))
		.find((word) => word !== undefined && word.trim() !== '' && word !== 'null');
}

function withoutRepeats(inputs: CrewInput[]): CrewInput[] {
	return [...new Map(inputs.map((input) => [input.name, input])).values()];
}
