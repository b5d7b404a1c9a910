const { execFileSync } = require('node:child_process');
const { readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { build } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');

const bin = (tool) => join(__dirname, 'node_modules', '.bin', tool);

function run(tool, ...args) {
	execFileSync(bin(tool), args, { stdio: 'inherit', shell: process.platform === 'win32' });
}

async function clean() {
	for (const folder of ['dist', 'crew-server/dist']) {
		rmSync(join(__dirname, folder), { recursive: true, force: true });
	}
}

/** Each class that n8n loads becomes one readable file: n8n loads few files faster than many. */
async function compile() {
	const { n8n } = JSON.parse(readFileSync(join(__dirname, 'package.json'), 'utf8'));
	const files = [...n8n.credentials, ...n8n.nodes];
	await build({
		entryPoints: files.map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.ts')),
		outdir: 'dist',
		outbase: '.',
		bundle: true,
		platform: 'node',
		target: 'node20',
		external: ['n8n-workflow'],
	});
}

/** The crew server becomes one small file whose errors still name its functions, next to the files for browsers. */
async function compileCrewServer() {
	await build({
		entryPoints: ['crew-server/src/main.ts'],
		outdir: 'crew-server/dist',
		bundle: true,
		minifySyntax: true,
		minifyWhitespace: true,
		lineLimit: 120,
		packages: 'external',
		platform: 'node',
		target: 'node20',
	});
}

async function compilePage() {
	execFileSync(process.execPath, [join(__dirname, 'crew-server', 'buildPage.cjs')]);
}

/** Both packages are released together, and share these files. */
function carryDocuments() {
	return src(['LICENSE.md', 'CHANGELOG.md']).pipe(dest('crew-server'));
}

/** What n8n reads besides the code: icons and codex files. */
function carryAssets() {
	return src('nodes/**/*.{svg,json}', { base: '.' }).pipe(dest('dist'));
}

async function types() {
	run('tsc', '-p', 'tsconfig.json');
	run('tsc', '-p', 'crew-server/page/tsconfig.json');
}

async function code() {
	run('eslint', '--max-warnings=0', '.');
}

async function format() {
	run('prettier', '--check', '.', '--log-level', 'warn');
}

/** The arrows between folders that docs/architecture.md shows, and no circles. */
async function arrows() {
	const folders = [
		'nodes',
		'credentials',
		'crew-server/src',
		'crew-server/page',
		'sandbox/src',
		'bench',
		'test',
	];
	run('depcruise', '--config', 'dependency-cruiser.config.cjs', ...folders);
}

/** Files, exports and packages that nobody uses. */
async function unused() {
	run('knip', '--treat-config-hints-as-errors');
}

/** n8n's own scanner for community packages, on the source and on the packed tarball. */
async function gate() {
	run('tsx', 'sandbox/src/gate.ts');
}

exports.build = series(
	clean,
	parallel(compile, carryAssets, compileCrewServer, compilePage, carryDocuments),
);
exports.lint = series(types, code, format, arrows, unused, gate);
