/** `npm run test:fuzz`: the same tests as in `npm test`, with many more cases, and others each time. */
process.env.FUZZ_CASES ??= '100000';
process.env.FUZZ_SEED ??= String(Date.now() % 2 ** 31);

const { projects, ...settings } = require('../../jest.config');

/** @type {import('jest').Config} */
module.exports = {
	...settings,
	projects: projects.filter(({ displayName }) => displayName === 'fuzz'),
};
