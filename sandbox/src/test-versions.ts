/** `npm run test:versions`: the same packed tarball in several versions of n8n. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import execa from 'execa';
import { endOnSignals } from './end-on-signals';
import { ensureN8n } from './n8n-install';
import { manifestOf, TESTED_VERSIONS, type TestedVersion } from './n8n-versions';
import { packPackage } from './packed-package';
import { repositoryFolder } from './paths';
import { makeScratchFolder, remove } from './scratch-folder';
import { Teardown } from './teardown';
import { writeVersionsTable, type Outcomes } from './versions-table';

const HELP = `Tests one packed tarball in several versions of n8n, each with the Node that it needs, and writes what
worked into the table in README.md (but not if CI=true is set).

Usage: npm run test:versions -- [${TESTED_VERSIONS.join('] [')}] [--install-only]

By default, it tests all versions in sandbox/n8n/. They are installed once into the cache folder (XDG_CACHE_HOME or
~/.cache); with --install-only, nothing else happens.`;

/** The parts of jest's --json report that are read here. */
interface JestReport {
	testResults: Array<{
		assertionResults: Array<{ ancestorTitles: [TestedVersion, string]; status: string }>;
	}>;
}

const teardown = new Teardown();

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			'install-only': { type: 'boolean', default: false },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	const chosen = readNames(positionals);
	for (const name of chosen) await ensureN8n({ manifest: manifestOf(name) });
	if (values['install-only']) return 0;
	console.log('Building and packing n8n-nodes-crew ...');
	const packed = await packPackage();
	teardown.add(() => packed.remove());
	const { exitCode, report } = await runTests(chosen, packed.tarball);
	// In CI, nobody would commit it, and other commands may be reading the README.
	const isOnlyCheck = process.env['CI'] === 'true';
	if (report && !isOnlyCheck) await writeVersionsTable(readOutcomes(report));
	return exitCode;
}

function readNames(names: string[]): TestedVersion[] {
	const unknown = names.find((name) => !TESTED_VERSIONS.some((known) => known === name));
	if (unknown !== undefined) {
		throw new Error(`There is no version "${unknown}": choose from ${TESTED_VERSIONS.join(', ')}`);
	}
	return TESTED_VERSIONS.filter((name) => names.length === 0 || names.includes(name));
}

async function runTests(
	names: TestedVersion[],
	tarball: string,
): Promise<{ exitCode: number; report?: JestReport }> {
	const folder = await makeScratchFolder('report');
	teardown.add(() => remove(folder));
	const file = join(folder, 'report.json');
	const config = ['--config', 'test/versions/jest.config.js', '--json', '--outputFile', file];
	const jest = execa('jest', [...config, '--selectProjects', ...names], {
		cwd: repositoryFolder,
		preferLocal: true,
		localDir: repositoryFolder,
		stdio: 'inherit',
		reject: false,
		env: { CREW_TARBALL: tarball },
	});
	teardown.add(async () => {
		jest.kill();
		await jest;
	});
	// There is no exit code if a signal ended it, for example for lack of memory.
	const { exitCode = 1 } = (await jest) as { exitCode?: number };
	const text = await readFile(file, 'utf8').catch(() => undefined);
	return { exitCode, report: text === undefined ? undefined : (JSON.parse(text) as JestReport) };
}

/** Tests are grouped by version, then by feature: a feature worked if all its tests passed. */
function readOutcomes({ testResults }: JestReport): Map<TestedVersion, Outcomes> {
	const outcomes = new Map<TestedVersion, Map<string, boolean>>();
	for (const { ancestorTitles, status } of testResults.flatMap((file) => file.assertionResults)) {
		const [version, aspect] = ancestorTitles;
		const tried = outcomes.get(version) ?? new Map<string, boolean>();
		tried.set(aspect, status === 'passed' && tried.get(aspect) !== false);
		outcomes.set(version, tried);
	}
	return outcomes;
}

endOnSignals(teardown);

main()
	.catch((error: unknown) => {
		console.error(error instanceof Error ? error.message : String(error));
		return 1;
	})
	.then(async (exitCode) => {
		process.exitCode = exitCode;
		await teardown.run();
	})
	.catch((error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	});
