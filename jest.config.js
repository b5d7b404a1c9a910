const { availableParallelism } = require('node:os');

/**
 * `npm test`: everything that needs no n8n process, within two minutes. `npm run test:thorough` and the end-to-end tests
 * have their own configurations.
 */
const common = {
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: '<rootDir>/test/support/sharedN8n/environment.ts',
	moduleNameMapper: { '^(n8n-core|n8n-workflow)$': '<rootDir>/test/support/sharedN8n/$1.js' },
	// Not in the folder for temporary files, which is new each time.
	cacheDirectory: '<rootDir>/.sandbox/jest',
	// Browser tests run with the end-to-end tests.
	testPathIgnorePatterns: ['/node_modules/', '\\.(browser|thorough)\\.test\\.ts$'],
	// The manifests of n8n's versions have the same name.
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
	// Two for each core: they spend a third of their time waiting for sockets and for simulated clocks.
	maxWorkers: 2 * availableParallelism(),
	// A worker without work first frees its memory, which takes a moment on a busy machine.
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
