/**
 * `npm run test:versions`: the same packed tarball in several versions of n8n, each a project. Two test files run at
 * a time, since each starts an n8n. `sandbox/src/test-versions.ts` installs them, packs, and runs this.
 */
const common = {
	rootDir: __dirname,
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: 'node',
	cacheDirectory: '<rootDir>/../../.sandbox/jest',
	setupFilesAfterEnv: ['<rootDir>/../e2e/support/timeLimit.ts'],
	testMatch: ['<rootDir>/*.test.ts'],
};

/** @type {import('jest').Config} */
module.exports = {
	rootDir: __dirname,
	maxWorkers: 2,
	projects: [
		...['newest', 'half-year', 'oldest'].map((name) => ({
			...common,
			displayName: name,
			globals: { testedVersion: name },
		})),
		// `npm run save:workflows`
		{ ...common, displayName: 'save', testMatch: ['<rootDir>/save.ts'] },
	],
};
