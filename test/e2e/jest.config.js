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

/** @type {import('jest').Config} */
module.exports = {
	rootDir: __dirname,
	maxWorkers: 1,
	projects: [
		{
			...common,
			displayName: 'e2e',
			roots: ['<rootDir>', '<rootDir>/../local-crew'],
			testMatch: ['**/test/e2e/**/*.test.ts', '**/*.browser.test.ts'],
		},
		{
			...common,
			// The other dialect of the API: all files in which the node speaks with a crew.
			displayName: 'e2e-queue-dialect',
			setupFiles: ['<rootDir>/support/queueDialect.ts'],
			testMatch: [
				'editor',
				'examples',
				'human-in-the-loop',
				'polling',
				'queue-mode-waiting',
				'waiting',
			].map((name) => `<rootDir>/${name}.test.ts`),
		},
	],
};
