import { useEffect, useState } from 'preact/hooks';

import { get, type ApiProblem } from '../api';
import { JsonTree } from '../parts/JsonTree';

interface Schema {
	type?: string | string[];
	enum?: unknown[];
	const?: unknown;
	format?: string;
	description?: string;
	properties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
	oneOf?: Schema[];
	anyOf?: Schema[];
}

interface Content {
	content?: Record<string, { schema?: Schema }>;
}

interface Operation {
	summary?: string;
	description?: string;
	security?: unknown[];
	parameters?: Array<{
		name: string;
		in: string;
		required?: boolean;
		schema?: Schema;
		description?: string;
	}>;
	requestBody?: Content;
	responses?: Record<string, Content & { description?: string }>;
}

interface Document {
	info: { title: string; description?: string };
	paths: Record<string, Record<string, Operation>>;
}

/**
 * The reference of the API, made from `openapi.json`. RapiDoc, OpenAPI Explorer, Redoc and Scalar need inline styles,
 * which the page's policy forbids. Swagger UI does not, but axe finds 15 contrasts too low in it, it has no dark theme of
 * its own, and 485 kB, compressed, of which this package has 600 in all; as `@fastify/swagger-ui`, it brings 22 more
 * packages with 12 MB. What turns the file into Markdown leaves fields out: openapi-to-md all that are nested or
 * of any type, @scalar/openapi-to-markdown those of `authentication`, and that with 200 MB of packages.
 */
export function Reference() {
	const [document, setDocument] = useState<Document>();
	const [problem, setProblem] = useState<ApiProblem>();
	useEffect(() => {
		get<Document>('openapi.json').then(setDocument, setProblem);
	}, []);
	if (problem) return <p role="alert">{problem.message}</p>;
	if (!document) return null;
	const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
	);
	return (
		<>
			<p>{document.info.description}</p>
			{operations.map(({ path, method, operation }) => (
				<details key={`${method} ${path}`} class="entry">
					<summary>
						<span class="method">{method.toUpperCase()}</span>
						<code class="grow">{path}</code>
						<span class="faint">{operation.summary}</span>
					</summary>
					<Body operation={operation} />
				</details>
			))}
		</>
	);
}

function Body({ operation }: { operation: Operation }) {
	const { description, parameters = [], requestBody, responses = {}, security } = operation;
	const sent = Object.entries(requestBody?.content ?? {});
	return (
		<>
			{description && <p>{description}</p>}
			{security?.length === 0 && <p class="faint">It needs no token.</p>}
			{parameters.length > 0 && (
				<>
					<h3>Parameters</h3>
					<ul class="fields">
						{parameters.map(({ name, in: place, required, schema = {}, description: text }) => (
							<Field
								key={name}
								name={name}
								schema={{ description: text, ...schema }}
								isRequired={required}
								note={place}
							/>
						))}
					</ul>
				</>
			)}
			{sent.map(([type, { schema = {} }]) => (
				<div key={type}>
					<h3>Body</h3>
					<Fields schema={schema} />
				</div>
			))}
			<h3>Answers</h3>
			{Object.entries(responses).map(([status, { description: text, content = {} }]) => (
				<details key={status} class="answer">
					<summary>
						<strong>{status}</strong> <span>{text}</span>
					</summary>
					{Object.entries(content).map(([type, { schema = {} }]) => (
						<div key={type}>
							<p class="faint">{type}</p>
							<Fields schema={schema} />
						</div>
					))}
				</details>
			))}
		</>
	);
}

/** The fields of an object; of anything else, its schema as it is. */
function Fields({ schema }: { schema: Schema }) {
	const { properties, required = [] } = schema;
	if (!properties) return <JsonTree value={schema} />;
	return (
		<ul class="fields">
			{Object.entries(properties).map(([name, one]) => (
				<Field key={name} name={name} schema={one} isRequired={required.includes(name)} />
			))}
		</ul>
	);
}

interface FieldProps {
	name: string;
	schema: Schema;
	isRequired?: boolean;
	note?: string;
}

function Field({ name, schema, isRequired, note }: FieldProps) {
	const inner = schema.properties ? schema : schema.items?.properties ? schema.items : undefined;
	return (
		<li>
			<code>{name}</code>{' '}
			<span class="faint">
				{[note, typeOf(schema), isRequired ? 'required' : ''].filter(Boolean).join(', ')}
			</span>
			{schema.description && <p>{schema.description}</p>}
			{inner && <Fields schema={inner} />}
		</li>
	);
}

function typeOf({ type, format, enum: values, const: value, items, oneOf, anyOf }: Schema): string {
	if (value !== undefined) return JSON.stringify(value);
	if (values) return values.map((one) => JSON.stringify(one)).join(' | ');
	const branches = oneOf ?? anyOf;
	if (branches) return branches.map(typeOf).join(' or ');
	const name = (Array.isArray(type) ? type : [type ?? 'any']).join(' or ');
	return `${name}${items ? ` of ${typeOf(items)}` : ''}${format === undefined ? '' : `, ${format}`}`;
}
