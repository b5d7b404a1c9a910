import execa from 'execa';
import { repositoryFolder } from './paths';

/** What a report was made from: `commit 1a2b3c4`, and whether files were changed since. */
export function describeCommit(): string {
	const git = (...args: string[]) => execa.sync('git', args, { cwd: repositoryFolder }).stdout;
	const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
	return `commit ${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
}
