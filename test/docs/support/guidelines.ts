/** Each point of n8n's guidelines for community nodes: how it is met, and what checks it. */
export interface Point {
	point: string;
	how: string;
	/** A test's file, or who looks after it. */
	check: string;
}

/** By the heading of n8n's pages, in their order. */
export const GUIDELINES: ReadonlyArray<readonly [heading: string, points: readonly Point[]]> = [
	[
		'Verification guidelines',
		[
			{
				point: 'Use the `n8n-node` tool',
				how: 'Not used to build: this repository has tests, a sandbox and a crew server beside the package, and its own build writes one readable file for each class, which n8n loads faster. What the tool checks is checked.',
				check: 'Gate',
			},
			{
				point: 'Not an existing node',
				how: 'n8n has no node for deployed crews.',
				check: 'Maintainers',
			},
			{
				point: 'No logic or flow control nodes',
				how: 'Crew calls a service; Crew Trigger receives its calls.',
				check: 'Maintainers',
			},
			{
				point: 'Repository on npm is the real, public one',
				how: '`repository` in `package.json`. **Open until the first release:** it holds an example address, see Contributing.',
				check: 'npm refuses provenance where they differ',
			},
			{
				point: 'Author agrees between npm and repository',
				how: '`author` in `package.json`. **Open until the first release**, as above.',
				check: 'Gate (that there is one)',
			},
			{
				point: 'Proper documentation',
				how: 'README, `docs/`, and importable examples.',
				check: 'Gate (that there is one), `test/docs/`',
			},
			{ point: 'License MIT', how: 'LICENSE.md, and `license` in `package.json`.', check: 'Gate' },
			{
				point: 'Published by a GitHub action with provenance',
				how: '`publish.yml`, by trusted publishing: no token is stored.',
				check: '`test/unit/repository/workflows.test.ts`',
			},
			{
				point: 'No external dependencies',
				how: '`dependencies` is empty. Only `n8n-workflow` and `node:crypto` are imported.',
				check: 'Gate, and dependency-cruiser in `npm run lint`',
			},
			{
				point: 'Usage, example workflows, authentication',
				how: 'First workflow, examples, credential.',
				check: 'Each example is run by a test',
			},
			{
				point: 'No environment variables, no files',
				how: 'Neither is read. All data comes from parameters and the credential.',
				check: 'Gate',
			},
			{
				point: 'TypeScript, consistent style',
				how: 'Strict TypeScript without `any`, Prettier, one style for all folders.',
				check: '`npm run lint`',
			},
			{
				point: 'Errors are handled and values validated',
				how: 'Every refusal of the API has a message of its own; IDs, URLs, JSON and approvals are checked before anything is sent.',
				check: 'Tests in `test/engine/`',
			},
			{ point: 'The linter passes', how: 'No finding, warnings included.', check: 'Gate' },
			{ point: 'English only', how: 'Panel, messages and documentation.', check: 'Gate' },
		],
	],
	[
		'UX guidelines: credentials and structure',
		[
			{
				point: 'Secrets are password fields',
				how: 'Access Token, Callback Secret.',
				check: '`test/docs/panelTexts.test.ts`, gate',
			},
			{
				point: 'OAuth where available',
				how: 'The API has none. It takes bearer tokens.',
				check: 'Does not apply',
			},
			{
				point: 'Create, get, update, delete operations',
				how: 'The API has executions that are started, read, answered and stopped. The five operations are its five requests. Nothing can be listed, changed or deleted.',
				check: 'Does not apply',
			},
			{
				point: 'Resource locator where possible',
				how: "The API lists neither executions nor tasks, so there is nothing to choose from. IDs come from the item by default. The crew's inputs are a resource mapper that is filled by the crew.",
				check: '`test/engine/inputFields.test.ts`',
			},
			{
				point: 'Consistency with other nodes',
				how: "Waiting has the names and defaults of n8n's Wait node (`limitWaitTime`, `resumeAmount`, `resumeUnit`). Options are a collection called Options. An execution waits as with n8n's GitHub node.",
				check: 'Maintainers',
			},
			{
				point: 'Sorting for "Get Many"',
				how: 'There is no such operation.',
				check: 'Does not apply',
			},
		],
	],
	[
		'UX guidelines: what comes out',
		[
			{
				point: 'Deleting returns `{"deleted": true}`',
				how: 'Nothing is deleted. Stop returns the `kickoff_id` and the status `stopped`.',
				check: '`test/engine/operations.test.ts`',
			},
			{
				point: 'Simplify for more than 10 fields',
				how: "Kickoff, Resume and Get Status have the option, with n8n's name and description. It is on unless changed.",
				check: '`test/docs/panelTexts.test.ts`',
			},
			{
				point: 'At most 10 fields when simplified, the useful ones first',
				how: '`kickoff_id`, `status`, then `output`.',
				check: '`test/docs/samples.test.ts`',
			},
			{
				point: '"Output" parameter with three modes for tools',
				how: 'The simplified item is small: an agent gets the fields that it needs.',
				check: 'Does not apply',
			},
		],
	],
	[
		'UX guidelines: words',
		[
			{
				point: 'Title Case for nodes, parameters and choices',
				how: 'All of them. Event types are left as the API writes them: people look for that word.',
				check: '`test/docs/panelTexts.test.ts`',
			},
			{
				point: 'Sentence case for actions, descriptions, hints',
				how: 'All of them. One sentence has no period, several have.',
				check: '`test/docs/panelTexts.test.ts`',
			},
			{
				point: "The service's own words",
				how: "Kickoff, resume, task, step, human input, User Bearer Token: as on the crew's dashboard.",
				check: 'Maintainers',
			},
			{
				point: 'No technical jargon',
				how: '"Notice the End", not "webhook mode".',
				check: 'Maintainers',
			},
			{
				point: 'One word for one thing',
				how: 'An execution of a crew is an "execution", and its ID a "kickoff ID", as the API says.',
				check: 'Maintainers',
			},
			{
				point: 'Placeholders begin with "e.g."',
				how: 'All of them.',
				check: '`test/docs/panelTexts.test.ts`',
			},
			{
				point: 'Operation: name, action, description',
				how: "Names are the API's own: there is one resource, the crew. Action and description name the object. Actions have no articles.",
				check: '`test/docs/panelTexts.test.ts`',
			},
			{
				point: 'Names of fields in single quotation marks',
				how: 'In all messages.',
				check: '`test/docs/messages.test.ts`',
			},
			{
				point: 'Booleans begin with "Whether"',
				how: 'All of them.',
				check: '`test/docs/panelTexts.test.ts`',
			},
			{
				point: 'No field without an effect',
				how: 'Each parameter is read, and each can be seen.',
				check: '`test/docs/panelTexts.test.ts`',
			},
		],
	],
	[
		'UX guidelines: messages',
		[
			{
				point: 'What happened',
				how: 'The message, in one sentence.',
				check: '`test/docs/messages.test.ts`',
			},
			{
				point: 'How to go on',
				how: 'The description, or the second half of the message. Troubleshooting has all of them.',
				check: '`test/docs/troubleshooting.test.ts`',
			},
			{
				point: 'Names the field',
				how: 'Where a field is the reason.',
				check: 'Tests in `test/engine/`',
			},
			{
				point: 'Names the item',
				how: 'Each one carries its item; n8n shows "[item 2]" behind the message.',
				check: '`test/engine/items.test.ts`',
			},
			{
				point: 'Without "error", "problem", "failure", "mistake"',
				how: 'In no message, no advice and no text of the panel. The option Failure Events is an exception, by its name.',
				check: '`test/docs/messages.test.ts`, `test/docs/panelTexts.test.ts`',
			},
		],
	],
];
