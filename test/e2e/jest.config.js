/** `npm run test:e2e`: the real n8n with the packed package. One test file at a time, since each starts an n8n. */
/** @type {import('jest').Config} */
module.exports = {
	displayName: 'e2e',
	rootDir: __dirname,
	roots: ['<rootDir>', '<rootDir>/../local-crew'],
	testMatch: ['**/test/e2e/**/*.test.ts', '**/*.browser.test.ts'],
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: 'node',
	globalSetup: '<rootDir>/support/installN8n.ts',
	maxWorkers: 1,
	// Includes the start of n8n, in queue mode of three of them.
	testTimeout: 300_000,
};
