/**
 * `npm run test:e2e`: the real n8n with the packed package. Two test files at a time, since n8n spends much of the time
 * waiting. Most of them share an n8n with the others of their worker, see support/sharedN8n.ts.
 */
const common = {
	rootDir: __dirname,
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: 'node',
	cacheDirectory: '<rootDir>/../../.sandbox/jest',
	globalSetup: '<rootDir>/support/sharedN8n.ts',
	globalTeardown: '<rootDir>/support/endSharedN8n.ts',
	setupFilesAfterEnv: ['<rootDir>/support/timeLimit.ts'],
};

/** @type {import('jest').Config} */
module.exports = {
	rootDir: __dirname,
	maxWorkers: 2,
	projects: [
		{
			...common,
			displayName: 'e2e',
			roots: ['<rootDir>', '<rootDir>/../crew-server'],
			testMatch: ['**/test/e2e/**/*.test.ts', '**/*.browser.test.ts'],
		},
		{
			...common,
			// The other dialect of the API, for the tests in which n8n shows what the node reads: inputs, answers, progress, ends.
			displayName: 'queue-dialect',
			setupFiles: ['<rootDir>/support/queueDialect.ts'],
			testMatch: ['editor/kickoff', 'human-in-the-loop', 'polling'].map(
				(name) => `<rootDir>/${name}.test.ts`,
			),
		},
	],
};
