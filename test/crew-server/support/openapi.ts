import compilerOf from '@fastify/ajv-compiler';

/** The parts of an OpenAPI document that answers are checked against. */
interface Document {
	paths: Record<string, Record<string, { responses: Record<string, Answer> } | undefined>>;
}

interface Answer {
	content?: { 'application/json'?: { schema: Record<string, unknown> } };
}

type Validate = ((body: unknown) => boolean) & { errors?: unknown };

const compile = compilerOf()(
	{},
	{
		customOptions: {
			allErrors: true,
			allowUnionTypes: true,
			coerceTypes: false,
			removeAdditional: false,
			useDefaults: false,
		},
	},
) as (route: { schema: unknown }) => Validate;

const documents = new Map<string, Promise<Document>>();

/**
 * Checks an answer against the document that the deployment itself serves.
 *
 * @throws {Error} if the document does not describe the answer, or describes it differently
 */
export async function holdAgainstDocument(
	baseUrl: string,
	method: string,
	path: string,
	status: number,
	body: unknown,
): Promise<void> {
	const document = await documentOf(baseUrl);
	const operation = Object.entries(document.paths)
		.filter(([template]) => patternOf(template).test(path))
		.map(([, operations]) => operations[method.toLowerCase()])
		.find((one) => one !== undefined);
	if (!operation) {
		if (status !== 404)
			throw new Error(`The document has no ${method} ${path}, answered ${status}`);
		return;
	}
	const schema = operation.responses[status]?.content?.['application/json']?.schema;
	if (!schema) throw new Error(`The document has no answer ${status} of ${method} ${path}`);
	const validate = compile({ schema });
	if (validate(body)) return;
	const problems = JSON.stringify(validate.errors);
	throw new Error(
		`${method} ${path} ${status}: ${JSON.stringify(body)} is not as documented: ${problems}`,
	);
}

function documentOf(baseUrl: string): Promise<Document> {
	const known = documents.get(baseUrl);
	if (known) return known;
	const read = fetch(`${baseUrl}/openapi.json`).then(
		async (response) => (await response.json()) as Document,
	);
	documents.set(baseUrl, read);
	return read;
}

/** `/{kickoff_id}/status` matches any single part instead of the braces. */
function patternOf(template: string): RegExp {
	return new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}
