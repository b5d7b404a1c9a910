/**
 * `npm run test:thorough`: the tests named `*.thorough.test.ts`, which take minutes or measure time, and the property
 * tests with more cases than in `npm test`.
 */
process.env.FUZZ_CASES ??= '2000';

const { projects, ...settings } = require('./jest.config');

/** @type {import('jest').Config} */
module.exports = {
	...settings,
	// Some measure time.
	maxWorkers: '100%',
	projects: projects.map((project) => ({
		...project,
		testMatch:
			project.displayName === 'fuzz'
				? project.testMatch
				: project.testMatch.map((pattern) => pattern.replace('*.test.ts', '*.thorough.test.ts')),
		testPathIgnorePatterns: ['/node_modules/'],
	})),
};
