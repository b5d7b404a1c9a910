/** `npm run test:e2e`: the real n8n with the packed package. One test file at a time, since each starts an n8n. */
const common = {
	rootDir: __dirname,
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: 'node',
	globalSetup: '<rootDir>/support/installN8n.ts',
	setupFilesAfterEnv: ['<rootDir>/support/timeLimit.ts'],
};

/** The tests of n8n's editor: in one n8n for all of them, each file with a browser and a crew of its own. */
const editor = {
	...common,
	globalSetup: '<rootDir>/support/sharedN8n.ts',
	globalTeardown: '<rootDir>/support/endSharedN8n.ts',
};

/** @type {import('jest').Config} */
module.exports = {
	rootDir: __dirname,
	maxWorkers: 1,
	projects: [
		{
			...common,
			displayName: 'e2e',
			roots: ['<rootDir>', '<rootDir>/../local-crew'],
			testMatch: ['**/test/e2e/*.test.ts', '**/*.browser.test.ts'],
		},
		{
			...editor,
			displayName: 'editor',
			testMatch: ['<rootDir>/editor/*.test.ts'],
		},
		{
			...common,
			// The other dialect of the API: all files in which the node speaks with a crew.
			displayName: 'e2e-queue-dialect',
			setupFiles: ['<rootDir>/support/queueDialect.ts'],
			testMatch: ['examples', 'human-in-the-loop', 'polling', 'queue-mode-waiting', 'waiting'].map(
				(name) => `<rootDir>/${name}.test.ts`,
			),
		},
		{
			...editor,
			displayName: 'editor-queue-dialect',
			setupFiles: ['<rootDir>/support/queueDialect.ts'],
			testMatch: ['kickoff', 'trigger', 'waiting'].map(
				(name) => `<rootDir>/editor/${name}.test.ts`,
			),
		},
	],
};
