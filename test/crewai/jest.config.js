/** `npm run test:crewai`: real CrewAI with a scripted model, in the environment that `CREWAI_PYTHON` names. */
module.exports = {
	rootDir: __dirname,
	displayName: process.env.CREWAI_ENVIRONMENT,
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	testEnvironment: 'node',
	// Importing CrewAI takes a core for several seconds, in each file at least once.
	maxWorkers: 2,
	testMatch: ['<rootDir>/*.test.ts'],
	testPathIgnorePatterns: [
		...(process.env.CREWAI_THOROUGH ? [] : ['\\.thorough\\.test\\.ts$']),
		// What does not depend on the version of CrewAI is tested only in one environment.
		...(process.env.CLIENTS_PYTHON
			? []
			: [
					'/(check|clients|command|finding|hangs|lifetime|limits|package|page|refusals|schemathesis|severalServers|your-crew)\\.test\\.ts$',
				]),
	],
	setupFilesAfterEnv: ['<rootDir>/support/timeLimit.ts'],
};
