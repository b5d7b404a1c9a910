/** `npm run test:e2e`: the real n8n with the packed package. One test file at a time, since each starts an n8n. */
/** @type {import('jest').Config} */
module.exports = {
	displayName: 'e2e',
	rootDir: __dirname,
	testMatch: ['<rootDir>/**/*.test.ts'],
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: 'node',
	maxWorkers: 1,
	// Includes the start of n8n, and of the first run also its installation.
	testTimeout: 900_000,
};
