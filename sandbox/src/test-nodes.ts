/** `npm run test:nodes -- [options of jest]`: the crew server's quick tests on each version of Node that it supports. */
import { join } from 'node:path';
import execa from 'execa';
import { ensureCached, installWithNpm } from './cached-install';
import { repositoryFolder } from './paths';

/** Named after the packages of `sandbox/node/package.json`. */
const VERSIONS = ['node-20', 'node-22', 'node-24'];

async function main(): Promise<void> {
	if (`${process.platform}-${process.arch}` !== 'linux-x64') {
		throw new Error(
			'These tests need Linux on x64: npm has all of these versions of Node only for that',
		);
	}
	const folder = await ensureCached({
		name: 'node-versions',
		manifest: join(repositoryFolder, 'sandbox', 'node'),
		install: installWithNpm,
	});
	const jest = join(repositoryFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	for (const version of VERSIONS) {
		const node = join(folder, 'node_modules', version, 'bin', 'node');
		const { stdout } = await execa(node, ['--version']);
		console.log(`\nNode ${stdout}`);
		const chosen = ['--selectProjects', 'crew-server', ...process.argv.slice(2)];
		const { exitCode } = await execa(node, [jest, ...chosen], {
			cwd: repositoryFolder,
			stdio: 'inherit',
			reject: false,
		});
		if (exitCode !== 0) process.exitCode = 1;
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : String(error));
	process.exitCode = 1;
});
