const { execFileSync } = require('node:child_process');
const { rmSync } = require('node:fs');
const { join } = require('node:path');
const { dest, parallel, series, src } = require('gulp');

const bin = (tool) => join(__dirname, 'node_modules', '.bin', tool);

function run(tool, ...args) {
	execFileSync(bin(tool), args, { stdio: 'inherit', shell: process.platform === 'win32' });
}

async function clean() {
	rmSync(join(__dirname, 'dist'), { recursive: true, force: true });
}

async function compile() {
	run('tsc', '-p', 'tsconfig.build.json');
}

/** What n8n reads beside the code: icons and codex files. */
function carryAssets() {
	return src('nodes/**/*.{svg,json}', { base: '.' }).pipe(dest('dist'));
}

async function types() {
	run('tsc', '-p', 'tsconfig.json');
}

async function code() {
	run('eslint', '--max-warnings=0', '.');
}

async function format() {
	run('prettier', '--check', '.', '--log-level', 'warn');
}

/** n8n's own gate for community packages, on the source and on the packed tarball. */
async function gate() {
	run('tsx', 'sandbox/src/gate.ts');
}

exports.build = series(clean, parallel(compile, carryAssets));
exports.lint = series(types, code, format, gate);
