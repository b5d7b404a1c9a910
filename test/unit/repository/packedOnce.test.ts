import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repositoryFolder } from '../../../sandbox/src/paths';

interface Job {
	needs?: string;
	steps?: Array<{ uses?: string; run?: string }>;
}

const FOLDER = join(repositoryFolder, '.github', 'workflows');
const jobsOf = (file: string) =>
	(parse(readFileSync(join(FOLDER, file), 'utf8')) as { jobs: Record<string, Job> }).jobs;

const commandsOf = ({ steps = [] }: Job) => steps.flatMap(({ run }) => run ?? []);
const hasCommand = (job: Job, words: string) =>
	commandsOf(job).some((command) => command.includes(words));

describe('the tarball', () => {
	const jobs = jobsOf('check.yml');
	const all = Object.entries({ ...jobs, ...jobsOf('publish.yml') });

	it('is packed in one place only', () => {
		const packing = all.filter(([, job]) => hasCommand(job, 'npm pack'));
		expect(packing.map(([name]) => name)).toEqual(['pack']);
	});

	it.each([
		['CREW_TARBALL', ['lint', 'e2e', 'versions']],
		['CREW_SERVER_TARBALL', ['e2e']],
	])('is the one that is tested: %s', (variable, names) => {
		const taking = Object.entries(jobs).filter(([, job]) => hasCommand(job, `${variable}=`));
		expect(taking.map(([name, { needs }]) => [name, needs])).toEqual(
			names.map((name) => [name, 'pack']),
		);
	});

	it('is published once all checks are green', () => {
		const { publish, check } = jobsOf('publish.yml');
		expect(publish?.needs).toBe('check');
		expect(check).toMatchObject({ uses: './.github/workflows/check.yml' });
	});
});
