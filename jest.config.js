/** `npm test`: everything that needs no n8n process. The end-to-end tests have a config of their own. */
const common = {
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: 'node',
	// They need a browser, so they run with the end-to-end tests.
	testPathIgnorePatterns: ['/node_modules/', '\\.browser\\.test\\.ts$'],
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.sandbox/'],
};

/** @type {import('jest').Config} */
module.exports = {
	projects: ['unit', 'engine', 'local-crew'].map((name) => ({
		...common,
		displayName: name,
		rootDir: __dirname,
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
		setupFilesAfterEnv: name === 'local-crew' ? [] : ['<rootDir>/test/support/noNetwork.ts'],
	})),
};
