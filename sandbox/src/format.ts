import execa from 'execa';
import { repositoryFolder } from './paths';

/** Lets Prettier format a file or a folder of the repository, by a path from anywhere. */
export async function format(path: string): Promise<void> {
	await execa('prettier', ['--write', '--log-level', 'warn', path], {
		cwd: repositoryFolder,
		preferLocal: true,
		localDir: repositoryFolder,
	});
}
