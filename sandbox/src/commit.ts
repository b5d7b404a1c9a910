import execa from 'execa';
import { repositoryFolder } from './paths';

/** Files of reports: the one that is being written does not count as a change. */
const REPORTS = [':!docs/reports', ':!bench/results.md'];

/** What a report was made from: `commit 1a2b3c4`, and whether files were changed since. */
export function describeCommit(): string {
	const git = (...args: string[]) => execa.sync('git', args, { cwd: repositoryFolder }).stdout;
	const isChanged =
		git('status', '--porcelain', '--untracked-files=no', '--', '.', ...REPORTS) !== '';
	return `commit ${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
}
