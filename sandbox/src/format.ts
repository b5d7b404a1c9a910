import execa from 'execa';
import { repositoryFolder } from './paths';

/** Formats a file or a folder of the repository with Prettier. */
export async function format(path: string): Promise<void> {
	await execa('prettier', ['--write', '--log-level', 'warn', path], {
		cwd: repositoryFolder,
		preferLocal: true,
		localDir: repositoryFolder,
	});
}
