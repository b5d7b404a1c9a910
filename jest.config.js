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

const support = (name) => `<rootDir>/test/support/${name}.ts`;
const SETUP = {
	fuzz: ['<rootDir>/test/fuzz/support/timeLimit.ts'],
	'local-crew': [support('timeLimit')],
};

/** @type {import('jest').Config} */
module.exports = {
	// Jest leaves one core free otherwise: on two it would run all files in one process, which slows down by and by.
	maxWorkers: '100%',
	projects: ['unit', 'engine', 'local-crew', 'docs', 'fuzz'].map((name) => ({
		...common,
		displayName: name,
		rootDir: __dirname,
		setupFiles: [support('quietN8n')],
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
		setupFilesAfterEnv: SETUP[name] ?? [support('timeLimit'), support('noNetwork')],
	})),
};
