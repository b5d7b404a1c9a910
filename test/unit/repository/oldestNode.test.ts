import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import execa from 'execa';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** The oldest Node that the commands run on. */

const read = (file: string) => readFileSync(join(repositoryFolder, file), 'utf8');
const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
const oldest = engines.node.replace('>=', '');

test.each(['README.md', 'CONTRIBUTING.md'])('%s names the oldest Node', (file) => {
	const words = read(file).replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
	expect(words).toContain(`You need Node.js ${oldest} or newer`);
});

test.each(['12.22.12', '18.20.8', '20.18.3'])(
	'on Node %s, a command says which Node it needs',
	async (node) => {
		const { exitCode, stderr } = await startOn(node);
		expect([exitCode, stderr]).toEqual([
			1,
			`Node.js ${oldest} or newer is needed; this is ${node}.`,
		]);
	},
);

/** Starts a command on this Node, which pretends to be another version. */
async function startOn(node: string): Promise<execa.ExecaReturnValue> {
	const versions = `{ value: { ...process.versions, node: '${node}' } }`;
	const pretence = `Object.defineProperty(process, 'versions', ${versions});`;
	const options = ['--import', `data:text/javascript,${encodeURIComponent(pretence)}`];
	const script = join(repositoryFolder, 'sandbox', 'bootstrap.mjs');
	return await execa(process.execPath, [...options, script, 'no-tool'], { reject: false });
}
