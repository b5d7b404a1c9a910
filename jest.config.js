const { availableParallelism } = require('node:os');

/**
 * `npm test`: everything that needs no n8n process, within two minutes. `npm run test:thorough` and the end-to-end tests
 * have configs of their own.
 */
const common = {
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: '<rootDir>/test/support/sharedN8n/environment.ts',
	moduleNameMapper: { '^(n8n-core|n8n-workflow)$': '<rootDir>/test/support/sharedN8n/$1.js' },
	// The folder for temporary files is a new one each time.
	cacheDirectory: '<rootDir>/.sandbox/jest',
	// Those of the browser run with the end-to-end tests.
	testPathIgnorePatterns: ['/node_modules/', '\\.(browser|thorough)\\.test\\.ts$'],
	// Manifests of n8n's versions share a name.
	modulePathIgnorePatterns: [
		'<rootDir>/dist/',
		'<rootDir>/crew-server/dist/',
		'<rootDir>/.sandbox/',
		'<rootDir>/sandbox/n8n/',
	],
};

const support = (name) => `<rootDir>/test/support/${name}.ts`;
const SETUP = {
	fuzz: ['<rootDir>/test/fuzz/support/timeLimit.ts'],
	'crew-server': [support('timeLimit')],
};

/** @type {import('jest').Config} */
module.exports = {
	// Two for each core: a third of their time they wait, for sockets and for clocks that run ahead.
	maxWorkers: 2 * availableParallelism(),
	// A worker with nothing left to do frees its memory first, which takes a moment where other work goes on.
	workerGracefulExitTimeout: 10_000,
	projects: ['unit', 'engine', 'crew-server', 'docs', 'fuzz'].map((name) => ({
		...common,
		displayName: name,
		rootDir: __dirname,
		setupFiles: [support('quietN8n')],
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
		setupFilesAfterEnv: SETUP[name] ?? [support('timeLimit'), support('noNetwork')],
	})),
};
