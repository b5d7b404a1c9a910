/**
 * Puts the page's files for browsers, each compressed, into `dist/browser`. This happens when the file is loaded, so that
 * Node's `--import` can do it before the server starts from its sources.
 */
const { buildSync } = require('esbuild');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { gzipSync } = require('node:zlib');

const page = join(__dirname, 'page');
const folder = join(__dirname, 'dist', 'browser');

const { outputFiles } = buildSync({
	entryPoints: {
		page: join(page, 'main.tsx'),
		reference: join(page, 'reference', 'Reference.tsx'),
		styles: join(page, 'page.css'),
	},
	outdir: folder,
	chunkNames: 'shared',
	bundle: true,
	splitting: true,
	minify: true,
	format: 'esm',
	target: 'es2022',
	jsx: 'automatic',
	jsxImportSource: 'preact',
	legalComments: 'none',
	write: false,
});

mkdirSync(folder, { recursive: true });
put('index.html', readFileSync(join(page, 'index.html')));
for (const { path, contents } of outputFiles) put(basename(path), contents);

/** Replaces the file at once, since someone may be reading the old one. */
function put(name, contents) {
	const file = join(folder, `${name}.gz`);
	writeFileSync(`${file}.${process.pid}`, gzipSync(contents, { level: 9 }));
	renameSync(`${file}.${process.pid}`, file);
}
