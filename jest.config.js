/** `npm test`: everything that needs no n8n process. The end-to-end tests have a config of their own. */
const common = {
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: 'node',
	// They need a browser, so they run with the end-to-end tests.
	testPathIgnorePatterns: ['/node_modules/', '\\.browser\\.test\\.ts$'],
	// Manifests of n8n's versions share a name.
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.sandbox/', '<rootDir>/sandbox/n8n/'],
};

const SETUP = {
	fuzz: ['<rootDir>/test/fuzz/support/timeLimit.ts'],
	'local-crew': ['<rootDir>/test/local-crew/support/timeLimit.ts'],
};

/** @type {import('jest').Config} */
module.exports = {
	projects: ['unit', 'engine', 'local-crew', 'docs', 'fuzz'].map((name) => ({
		...common,
		displayName: name,
		rootDir: __dirname,
		setupFiles: ['<rootDir>/test/support/quietN8n.ts'],
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
		setupFilesAfterEnv: SETUP[name] ?? ['<rootDir>/test/support/noNetwork.ts'],
	})),
};
