/** The parts of JSON Schema that CrewAI uses for answers of models. */
export interface JsonSchema {
	type?: string | string[];
	properties?: Record<string, JsonSchema>;
	items?: JsonSchema;
	enum?: unknown[];
	const?: unknown;
	anyOf?: JsonSchema[];
	$ref?: string;
	$defs?: Record<string, JsonSchema>;
}

/** A value that fits a schema. */
export function fitting(schema: JsonSchema, defs = schema.$defs ?? {}): unknown {
	if (schema.const !== undefined) return schema.const;
	if (schema.enum) return schema.enum[0];
	if (schema.$ref) return fitting(defs[schema.$ref.replace('#/$defs/', '')] ?? {}, defs);
	if (schema.anyOf) return fitting(schema.anyOf[0] ?? {}, defs);
	switch ([schema.type].flat()[0]) {
		case 'object':
			return Object.fromEntries(
				Object.entries(schema.properties ?? {}).map(([name, one]) => [name, fitting(one, defs)]),
			);
		case 'array':
			return [fitting(schema.items ?? {}, defs)];
		case 'integer':
		case 'number':
			return 1;
		case 'boolean':
			return true;
		default:
			return 'some text';
	}
}
